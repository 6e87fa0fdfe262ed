import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deletedInstanceIn, recordOf, untilEnd, valueSources } from '../../../../src/domain/app-instance/deleted-instance.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const DAY = 86_400_000;
const INSTANCE: KubeObject = {
  apiVersion: 'apps.chandlery.dev/v1alpha1',
  kind: 'Shop',
  metadata: {
    name: 'orders',
    namespace: 'team-a',
    uid: '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
    deletionTimestamp: '2025-12-31T23:59:00Z',
    labels: { team: 'a' },
    annotations: { 'chandlery.dev/created-by': 'oidc:ada' },
  },
  spec: { channel: '1.x', values: { replicas: 2 }, valuesFrom: [{ kind: 'Secret', name: 'orders-password' }] },
  status: { version: '1.2.0' },
};

function record(masked: KubeObject = INSTANCE): KubeObject {
  const made = recordOf({ plural: 'shops', masked, claims: ['data-orders-0'], now: NOW });
  assert.ok(made !== undefined);
  return made;
}

describe('the record of a deleted instance', () => {
  it('has what creates the instance again, and ends after seven days', () => {
    const secret = record();
    const found = deletedInstanceIn(secret, NOW.getTime());
    assert.deepEqual(found, {
      id: '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
      app: 'shops.apps.chandlery.dev',
      name: 'orders',
      deleted: '2025-12-31T23:59:00Z',
      expires: '2026-01-08T00:00:00Z',
      version: '1.2.0',
      content: { spec: INSTANCE.spec, metadata: { labels: { team: 'a' } } },
      claims: ['data-orders-0'],
    });
    assert.deepEqual(valueSources({ content: found?.content ?? {} }), ['Secret orders-password']);
    assert.equal(secret.metadata.ownerReferences, undefined);
    assert.equal(untilEnd(secret, NOW.getTime() + 6 * DAY), DAY);
    assert.equal(deletedInstanceIn(secret, NOW.getTime() + 7 * DAY), undefined);
  });

  it('is not made of what does not fit into a Secret, and ends at once where nothing says when', () => {
    const large = { ...INSTANCE, spec: { values: { text: 'x'.repeat(800 * 1024) } } };
    assert.equal(recordOf({ plural: 'shops', masked: large, claims: [], now: NOW }), undefined);
    const secret = record();
    assert.equal(untilEnd({ metadata: { ...secret.metadata, annotations: { 'chandlery.dev/expires': 'soon' } } }, NOW.getTime()), 0);
  });

  for (const [why, change] of [
    ['of another type', { type: 'Opaque' }],
    ['that is no JSON', { data: { record: 'bm9uZQ==' } }],
    ['of another name', { metadata: { ...record().metadata, name: 'mine' } }],
  ] as const) {
    it(`is not read from a Secret ${why}`, () => assert.equal(deletedInstanceIn({ ...record(), ...change }, NOW.getTime()), undefined));
  }
});
