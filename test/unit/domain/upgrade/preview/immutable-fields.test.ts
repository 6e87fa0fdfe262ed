import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { immutableChanges } from '../../../../../src/domain/upgrade/preview/object-changes.ts';

function object(kind: string, content: object): KubeObject {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return { apiVersion, kind: name, metadata: { name: 'a' }, ...content };
}

describe('a field that nobody may change', () => {
  const cases: readonly [string, string, object, object, readonly string[]][] = [
    [
      'the selector of a Deployment',
      'apps/v1 Deployment',
      { spec: { selector: { a: 1 } } },
      { spec: { selector: { a: 2 } } },
      ['spec.selector'],
    ],
    ['is not its replicas', 'apps/v1 Deployment', { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, []],
    [
      'the storage of a StatefulSet',
      'apps/v1 StatefulSet',
      { spec: {} },
      { spec: { volumeClaimTemplates: [{}] } },
      ['spec.volumeClaimTemplates'],
    ],
    ['the default written out is no change', 'apps/v1 StatefulSet', { spec: {} }, { spec: { podManagementPolicy: 'OrderedReady' } }, []],
    [
      'another way to manage its pods',
      'apps/v1 StatefulSet',
      { spec: {} },
      { spec: { podManagementPolicy: 'Parallel' } },
      ['spec.podManagementPolicy'],
    ],
    ['the pods of a Job', 'batch/v1 Job', { spec: { template: { a: 1 } } }, { spec: { template: { a: 2 } } }, ['spec.template']],
    [
      'the role of a binding',
      'rbac.authorization.k8s.io/v1 RoleBinding',
      { roleRef: { name: 'a' } },
      { roleRef: { name: 'b' } },
      ['roleRef'],
    ],
    ['an address that is set first', 'v1 Service', { spec: {} }, { spec: { clusterIP: 'None' } }, []],
    ['an address that is replaced', 'v1 Service', { spec: { clusterIP: '10.0.0.1' } }, { spec: { clusterIP: 'None' } }, ['spec.clusterIP']],
    ['the type of a Secret', 'v1 Secret', {}, { type: 'kubernetes.io/tls' }, ['type']],
    ['the data of a frozen ConfigMap', 'v1 ConfigMap', { immutable: true, data: { a: 1 } }, { immutable: true, data: { a: 2 } }, ['data']],
    ['the data of any other', 'v1 ConfigMap', { data: { a: 1 } }, { data: { a: 2 } }, []],
    ['nothing of a kind that nobody knows', 'x/v1 Thing', { spec: { selector: 1 } }, { spec: { selector: 2 } }, []],
  ];
  for (const [title, kind, from, to, expected] of cases) {
    it(title, () => assert.deepEqual(immutableChanges(object(kind, from), object(kind, to)), expected));
  }
});
