import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extendedTo, instanceExpiry } from '../../../../src/domain/app-instance/expiry.ts';

const HOUR = 3_600_000;
const CREATED = Date.parse('2026-01-01T00:00:00Z');
const SETTINGS = { warnBefore: 2 * HOUR, gracePeriod: 3 * HOUR };
const at = (hours: number): string => new Date(CREATED + hours * HOUR).toISOString();

/** @param expires hours after the creation, as all numbers here. */
function expiryAt(now: number, { expires, after, expired }: { expires?: number; after?: number; expired?: number }) {
  const conditions = [{ type: 'Expired', status: 'True', reason: 'Expired', message: '', lastTransitionTime: at(expired ?? 0) }];
  const instance = {
    apiVersion: 'apps.chandlery.dev/v1alpha1',
    kind: 'Web',
    metadata: { name: 'shop', creationTimestamp: at(0) },
    spec: expires === undefined ? {} : { expires: at(expires) },
    status: { conditions: expired === undefined ? [] : conditions },
  };
  const settings = { ...SETTINGS, ...(after === undefined ? {} : { after: after * HOUR }) };
  const found = instanceExpiry(instance, settings, CREATED + now * HOUR);
  return found && [found.phase, (found.expiresAt - CREATED) / HOUR, (found.deleteAt - CREATED) / HOUR];
}

describe('the expiry of an instance', () => {
  it('is never without an end of its own or of its definition', () => {
    assert.equal(expiryAt(0, {}), undefined);
  });

  it('goes through its phases by its own end', () => {
    assert.deepEqual(expiryAt(7, { expires: 10 }), ['NotDue', 10, 13]);
    assert.deepEqual(expiryAt(8, { expires: 10 }), ['ExpiresSoon', 10, 13]);
    assert.deepEqual(expiryAt(11, { expires: 10, expired: 10 }), ['Expired', 10, 13]);
    assert.deepEqual(expiryAt(13, { expires: 10, expired: 10 }), ['Due', 10, 13]);
  });

  it('is after the time that its definition gives it, and no later end of its own counts', () => {
    assert.deepEqual(expiryAt(0, { after: 24 }), ['NotDue', 24, 27]);
    assert.deepEqual(expiryAt(0, { after: 24, expires: 99 }), ['NotDue', 24, 27]);
    assert.deepEqual(expiryAt(0, { after: 24, expires: 12 }), ['NotDue', 12, 15]);
  });

  it('has its whole grace period from when the expiry was reported', () => {
    assert.deepEqual(expiryAt(50, { expires: 10 }), ['Expired', 10, 53]);
    assert.deepEqual(expiryAt(52, { expires: 10, expired: 50 }), ['Expired', 10, 53]);
    assert.deepEqual(expiryAt(53, { expires: 10, expired: 50 }), ['Due', 10, 53]);
  });

  it('can be put off by a week beyond the deletion, as far as the definition allows', () => {
    const times = { expiresAt: CREATED, deleteAt: CREATED + HOUR };
    assert.equal(extendedTo(times), '2026-01-08T01:00:00Z');
    assert.equal(extendedTo({ ...times, latest: CREATED + 2 * HOUR }), '2026-01-01T02:00:00Z');
    assert.equal(extendedTo({ ...times, latest: CREATED }), undefined);
  });
});
