import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { contentForCopy, contentForPromotion } from '../../../../src/operation/instance/copy-instance.ts';

const masked = (path: string): string => `<masked: ${path}>`;
const PASSWORD = masked('spec.values.password');

function release(spec: object, status: object = {}): { readonly object: KubeObject } {
  return { object: { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'WebApp', metadata: { name: 'shop' }, spec, status } };
}

const staging = release(
  {
    values: { replicas: 3, password: PASSWORD, users: [{ name: 'anna', token: masked('spec.values.users[0].token') }] },
    expires: '2030-01-01T00:00:00Z',
  },
  { version: '1.1.0' },
);

describe('values that go to another environment', () => {
  it('take no sensitive value and no end along, and name the version that runs', () => {
    assert.deepEqual(contentForCopy(staging), { spec: { values: { replicas: 3, users: [{ name: 'anna' }] }, version: '1.1.0' } });
  });

  it('stay in the channel that the other instance follows, unless it has a version', () => {
    const spec = { channel: '1.x', values: {} };
    assert.deepEqual(contentForCopy(release(spec, { version: '1.1.0' })), { spec });
    assert.deepEqual(contentForCopy(release({ ...spec, version: '1.0.0' })), { spec: { ...spec, version: '1.0.0' } });
  });

  it('leave secrets, sources and the end of the other instance as they are', () => {
    const valuesFrom = [{ kind: 'Secret', name: 'production', key: 'values' }];
    const production = release({ version: '1.0.0', valuesFrom, suspend: true, values: { replicas: 9, old: true, password: PASSWORD } });
    assert.deepEqual(contentForPromotion(production, staging), {
      spec: {
        version: '1.1.0',
        valuesFrom,
        suspend: true,
        values: { replicas: 3, password: PASSWORD, users: [{ name: 'anna' }] },
      },
    });
  });

  it('is the whole spec for the kind of an Operator', () => {
    const cache = (spec: object): { readonly object: KubeObject } => ({
      object: { apiVersion: 'samples.chandlery.dev/v1', kind: 'Cache', metadata: { name: 'c' }, spec },
    });
    assert.deepEqual(contentForPromotion(cache({ memory: '1Gi', size: 1 }), cache({ memory: '2Gi' })), { spec: { memory: '2Gi' } });
  });
});
