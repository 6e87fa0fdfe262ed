import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { keysOfCrd, keysOfOperator } from '../../../../../src/reconcile/operator/memory/index-keys.ts';

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
