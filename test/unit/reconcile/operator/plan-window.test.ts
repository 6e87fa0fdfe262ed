import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextActiveAction, type ActiveAction } from '../../../../src/reconcile/operator/next-action.ts';
import { determineActiveState, type ActiveFacts, type ActiveState } from '../../../../src/reconcile/operator/state.ts';
import { drift, health, LATE, LIVING, own, RECOVERABLE, TESTED_BADLY } from '../../../support/operator-facts.ts';

const HELD = { version: '2.0.0', chartDigest: 'sha256:2', reason: 'OutsideWindow', opensAt: '2026-11-21T22:00:00Z' } as const;

interface Case {
  readonly title: string;
  readonly facts: Partial<ActiveFacts>;
  readonly state: ActiveState['kind'];
  readonly act: ActiveAction['kind'];
  readonly settled?: ActiveAction['kind'];
}

const CASES: readonly Case[] = [
  { title: 'one that is healthy waits', facts: {}, state: 'OutsideWindow', act: 'await-window', settled: 'mark-ready' },
  {
    title: 'one that is degraded says so while it waits',
    facts: { health: health('Degraded') },
    state: 'OutsideWindow',
    act: 'await-window',
    settled: 'report-degraded',
  },
  {
    title: 'one that comes up says so while it waits',
    facts: { health: health('Progressing') },
    state: 'OutsideWindow',
    act: 'await-window',
    settled: 'watch-progress',
  },
  {
    title: 'one whose test failed says so while it waits',
    facts: { testing: true, past: { ...LIVING.past, marks: TESTED_BADLY } },
    state: 'OutsideWindow',
    act: 'await-window',
    settled: 'report-test-failed',
  },
  { title: 'definitions that are gone come back all the same', facts: { crds: [] }, state: 'CrdsMissing', act: 'restore-crds' },
  { title: 'drift is corrected all the same', facts: { drift: drift() }, state: 'Drifted', act: 'correct-drift' },
  {
    title: 'one that is unwell for too long goes back all the same',
    facts: { ...LATE, health: health('Degraded') },
    state: 'RollbackDue',
    act: 'roll-back',
  },
  { title: 'its tests run all the same', facts: { testing: true }, state: 'Untested', act: 'test' },
  {
    title: 'an upgrade that failed waits, too',
    facts: { release: own({ status: 'failed' }) },
    state: 'OutsideWindow',
    act: 'await-window',
  },
  {
    title: 'an upgrade that failed goes back all the same',
    facts: { ...RECOVERABLE, release: own({ status: 'failed', revision: 2 }) },
    state: 'RollbackDue',
    act: 'roll-back',
  },
  { title: 'a suspended one rests', facts: { suspended: true }, state: 'Suspended', act: 'rest' },
];

describe('an Operator whose upgrade the maintenance window holds', () => {
  for (const { title, facts, state, act, settled } of CASES) {
    it(title, () => {
      const determined = determineActiveState({ ...LIVING, held: HELD, ...facts });
      assert.equal(determined.kind, state);
      const planned = nextActiveAction(determined);
      assert.equal(planned.kind, act);
      if (planned.kind !== 'await-window') return;
      assert.equal(planned.pending, HELD);
      assert.equal(planned.settled?.kind, settled);
    });
  }
});
