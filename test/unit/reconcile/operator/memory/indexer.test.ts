import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { createObjectStore } from '../../../../../src/kube/watch/object-store.ts';
import { createIndexer, keysOfCrd, keysOfOperator } from '../../../../../src/reconcile/operator/memory/indexer.ts';

function thing(name: string, colour: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, uid: name, resourceVersion, labels: { colour } } };
}

describe('an index', () => {
  const store = createObjectStore((object) => object);
  store.set(thing('before', 'red', '1'));
  const index = createIndexer({ ...store, synced: () => true }, ({ metadata }) => [metadata.labels?.['colour'] ?? '']);
  const names = (indexKey: string): string[] => index.having(indexKey).map(({ metadata }) => metadata.name);

  it('knows what was there before, what came, what changed and what went, and reports the index keys before and after a change', () => {
    const reported: (readonly string[])[] = [];
    index.onChange((indexKeys) => reported.push(indexKeys));
    store.set(thing('later', 'red', '2'));
    assert.deepEqual(names('red'), ['before', 'later']);
    store.set(thing('later', 'blue', '3'));
    assert.deepEqual([names('red'), names('blue')], [['before'], ['later']]);
    store.delete(thing('later', 'blue', '3'));
    assert.deepEqual(names('blue'), []);
    assert.deepEqual(reported, [['red'], ['red'], ['red', 'blue'], ['blue']]);
  });
});

describe('index keys', () => {
  const operator = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'o', namespace: 'n' },
    spec: { targetNamespace: 't', releaseName: 'r' },
    status: { customResourceDefinitions: ['gone.example.com'] },
  };
  const crd = (metadata: object): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.example.com', ...metadata },
  });
  const release = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 't' };
  const cases: readonly { title: string; definition: KubeObject; meets: boolean }[] = [
    { title: 'a CRD with its label', definition: crd({ labels: { 'chandlery.dev/operator': 'n.o' } }), meets: true },
    { title: 'a CRD of its release without a label', definition: crd({ annotations: release }), meets: true },
    { title: 'a CRD of its status that lost all else', definition: crd({ name: 'gone.example.com' }), meets: true },
    {
      title: 'not one of another Operator, whatever release it names',
      definition: crd({ labels: { 'chandlery.dev/operator': 'n.p' }, annotations: release }),
      meets: false,
    },
  ];
  for (const { title, definition, meets } of cases) {
    it(`lead to the Operator from ${title}`, () => {
      const own = keysOfOperator(operator);
      assert.equal(
        keysOfCrd(definition).some((indexKey) => own.includes(indexKey)),
        meets,
      );
    });
  }
});
