import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { determineActiveState, type ActiveFacts, type ActiveState, type InSync } from '../../../../src/reconcile/operator/state.ts';
import { drift, health, LATE, LIVING, own, RECOVERABLE, TESTED_BADLY } from '../../../support/operator-facts.ts';

const HELD = { version: '2.0.0', chartDigest: 'sha256:2', reason: 'OutsideWindow', opensAt: '2026-11-21T22:00:00Z' } as const;

interface Case {
  readonly title: string;
  readonly facts: Partial<ActiveFacts>;
  readonly state: ActiveState['kind'];
  readonly runs?: InSync['tests'];
}

const CASES: readonly Case[] = [
  { title: 'one that is healthy waits', facts: {}, state: 'OutsideWindow', runs: 'NotFailed' },
  {
    title: 'one that is degraded says so while it waits',
    facts: { health: health('Degraded') },
    state: 'OutsideWindow',
    runs: 'NotFailed',
  },
  {
    title: 'one that comes up says so while it waits',
    facts: { health: health('Progressing') },
    state: 'OutsideWindow',
    runs: 'NotFailed',
  },
  {
    title: 'one whose test failed says so while it waits',
    facts: { testing: true, past: { ...LIVING.past, results: TESTED_BADLY } },
    state: 'OutsideWindow',
    runs: 'Failed',
  },
  { title: 'CRDs that are gone come back all the same', facts: { crds: [] }, state: 'CrdsMissing' },
  { title: 'drift is corrected all the same', facts: { drift: drift() }, state: 'Drifted' },
  {
    title: 'one that is unwell for too long goes back all the same',
    facts: { ...LATE, health: health('Degraded') },
    state: 'RollbackDue',
  },
  { title: 'its tests run all the same', facts: { testing: true }, state: 'Untested' },
  {
    title: 'an upgrade that failed waits, too',
    facts: { release: own({ status: 'failed' }) },
    state: 'OutsideWindow',
  },
  {
    title: 'an upgrade that failed goes back all the same',
    facts: { ...RECOVERABLE, release: own({ status: 'failed', revision: 2 }) },
    state: 'RollbackDue',
  },
  { title: 'a suspended one rests', facts: { suspended: true }, state: 'Suspended' },
];

describe('an Operator whose upgrade the maintenance window holds', () => {
  for (const { title, facts, state, runs } of CASES) {
    it(title, () => {
      const determined = determineActiveState({ ...LIVING, held: HELD, ...facts });
      assert.equal(determined.kind, state);
      if (determined.kind !== 'OutsideWindow') return;
      assert.equal(determined.pending, HELD);
      assert.equal(determined.runs?.tests, runs);
    });
  }
});
