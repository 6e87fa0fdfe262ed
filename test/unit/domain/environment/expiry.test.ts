import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expiresField, expiryOf, expiryPhase, nextPhaseAt } from '../../../../src/domain/environment/expiry.ts';

const CREATED = '2026-01-01T00:00:00Z';
const HOUR = 3_600_000;

describe('an environment that expires', () => {
  for (const [title, expires] of [
    ['a time after its creation', { after: '72h', gracePeriod: '2h' }],
    ['at a given time', { at: '2026-01-04T00:00:00Z', gracePeriod: '2h' }],
  ] as const) {
    it(`${title} warns a day before, and is due after its grace period`, () => {
      const fields = expiresField.read(expires);
      const expiry = fields && expiryOf(fields, CREATED);
      assert.ok(expiry);
      const at = (hours: number): number => Date.parse(CREATED) + hours * HOUR;
      assert.deepEqual(
        [0, 48, 72, 73, 74].map((hours) => expiryPhase(expiry, at(hours))),
        ['NotDue', 'ExpiresSoon', 'Expired', 'Expired', 'Due'],
      );
      assert.deepEqual(
        [0, 48, 72, 74].map((hours) => nextPhaseAt(expiry, at(hours))),
        [at(48), at(72), at(74), undefined],
      );
    });
  }

  it('has no end that cannot be known', () => {
    const fields = expiresField.read({ after: '1h' });
    assert.equal(fields && expiryOf(fields, ''), undefined);
  });
});
