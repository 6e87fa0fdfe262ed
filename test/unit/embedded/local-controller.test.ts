import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { localControllerOf } from '../../../src/embedded/controllers/local-controller.ts';

const controller = { namespace: 'apps', name: 'cache-operator', program: 'cache-operator', account: 'cache' };

const cases: readonly (readonly [string, KubeObject, typeof controller | undefined])[] = [
  ['with the annotation runs its program under its account', deployment({}), controller],
  ['that does not say how many replicas wants one', deployment({ replicas: undefined }), controller],
  ['without an account has that of the namespace', deployment({ account: undefined }), { ...controller, account: 'default' }],
  ['scaled to zero runs nothing', deployment({ replicas: 0 }), undefined],
  ['on its way out runs nothing', deployment({ deleted: '2026-01-01T00:00:00Z' }), undefined],
  ['without the annotation runs nothing', deployment({ annotations: {} }), undefined],
];
for (const [what, object, expected] of cases) {
  test(`a Deployment ${what}`, () => assert.deepEqual(localControllerOf(object), expected));
}

interface Features {
  readonly replicas?: number | undefined;
  readonly account?: string | undefined;
  readonly deleted?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

function deployment(features: Features): KubeObject {
  const { replicas, account, deleted, annotations } = {
    replicas: 1,
    account: 'cache',
    annotations: { 'chandlery.dev/controller': 'cache-operator' },
    ...features,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'apps', name: 'cache-operator', ...(deleted === undefined ? {} : { deletionTimestamp: deleted }) },
    spec: { replicas, template: { metadata: { annotations }, spec: { serviceAccountName: account } } },
  };
}
