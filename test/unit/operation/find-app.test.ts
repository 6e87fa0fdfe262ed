import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { appOfKind, entriesFor, findApp } from '../../../src/operation/app/find-app.ts';

const NONE: readonly KubeObject[] = [];

const operator: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'ops' },
  spec: { catalog: { audience: ['oidc:team-a'] } },
  status: { status: 'READY' },
};
const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'caches.a.example', labels: { 'chandlery.dev/operator': 'ops.cache' } },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};
const catalog = {
  operators: () => [operator],
  customResourceDefinitions: () => [crd],
  environments: () => [],
  catalogSources: () => [],
  appDefinitions: () => NONE,
};
const member = { user: 'oidc:dev-a', groups: ['oidc:team-a'] };
const stranger = { user: 'oidc:dev-b', groups: ['oidc:team-b'] };

describe('an app for some groups only', () => {
  it('is in the catalogue of their members', () => {
    assert.equal(findApp({ catalog }, member, 'caches.a.example').summary.kind, 'Cache');
  });

  it('is not in that of others, in the words for an app that does not exist', () => {
    assert.deepEqual(entriesFor({ catalog }, stranger), []);
    const messageFor = (id: string): string => {
      try {
        findApp({ catalog }, stranger, id);
        return '';
      } catch (error) {
        return String(error).replace(id, 'ID');
      }
    };
    assert.equal(messageFor('caches.a.example'), messageFor('nothings.a.example'));
  });
});

describe('a kind', () => {
  const other = { ...crd, metadata: { ...crd.metadata, name: 'caches.b.example' }, spec: { ...(crd.spec as object), group: 'b.example' } };
  const both = { ...catalog, customResourceDefinitions: () => [crd, other] };

  it('is found by any of its names, in any case', () => {
    for (const kind of ['Cache', 'cache', 'CACHES', 'caches.a.example']) {
      assert.equal(appOfKind({ catalog }, member, { kind, group: '' }).summary.id, 'caches.a.example');
    }
  });

  it('of several apps is ambiguous, with the ids to choose from, until its group is named', () => {
    assert.throws(() => appOfKind({ catalog: both }, member, { kind: 'cache', group: '' }), {
      code: 'AmbiguousKind',
      status: 409,
      faults: [{ message: 'caches.a.example' }, { message: 'caches.b.example' }],
    });
    assert.equal(appOfKind({ catalog: both }, member, { kind: 'cache', group: 'b.example' }).summary.id, 'caches.b.example');
    assert.throws(() => appOfKind({ catalog: both }, stranger, { kind: 'cache', group: '' }), { code: 'NotFound' });
  });
});

describe('the catalogue', () => {
  it('is built once for the same lists, and anew when one of them is another', () => {
    let crds = [crd];
    const operators = [operator];
    const live = { ...catalog, operators: () => operators, customResourceDefinitions: () => crds };
    const [first] = entriesFor({ catalog: live }, member);
    assert.equal(entriesFor({ catalog: live }, member)[0], first);
    crds = [crd, { ...crd, metadata: { ...crd.metadata, name: 'others.a.example' } }];
    assert.equal(entriesFor({ catalog: live }, member).length, 2);
  });
});
