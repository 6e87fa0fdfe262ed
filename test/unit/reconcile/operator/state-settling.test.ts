import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { determineActiveState, type ActiveFacts, type ActiveState, type InSync } from '../../../../src/reconcile/operator/state.ts';
import { LIVING, RECOVERABLE, LATE, UNREADY, TESTED_BADLY, ROLLBACK, own, health, crd, drift } from '../../../support/operator-facts.ts';

interface Case {
  readonly title: string;
  readonly facts: Partial<ActiveFacts>;
  readonly state: ActiveState['kind'];
  readonly tests?: InSync['tests'];
}

const CASES: readonly Case[] = [
  {
    title: 'one whose upgrade failed goes back to what was healthy',
    facts: { ...RECOVERABLE, release: own({ status: 'failed', revision: 2 }) },
    state: 'RollbackDue',
  },
  {
    title: 'one whose upgrade failed goes back though its dependency is not ready',
    facts: { ...RECOVERABLE, dependencies: UNREADY, release: own({ status: 'failed' }) },
    state: 'RollbackDue',
  },
  {
    title: 'one whose test failed goes back',
    facts: { ...RECOVERABLE, testing: true, past: { ...RECOVERABLE.past, results: TESTED_BADLY } },
    state: 'RollbackDue',
  },
  {
    title: 'one that is degraded for too long goes back',
    facts: { ...LATE, health: health('Degraded') },
    state: 'RollbackDue',
  },
  {
    title: 'one that comes up for too long goes back',
    facts: { ...LATE, health: health('Progressing') },
    state: 'RollbackDue',
  },
  {
    title: 'one whose CRDs are not served for too long goes back',
    facts: { ...LATE, crds: [crd('as', false)] },
    state: 'RollbackDue',
  },
  {
    title: 'one that is degraded has its time',
    facts: { ...RECOVERABLE, health: health('Degraded') },
    state: 'InSync',
  },
  {
    title: 'one that is degraded for too long stays when nobody asks for a rollback',
    facts: { past: LATE.past, health: health('Degraded') },
    state: 'InSync',
  },
  {
    title: 'one that was healthy and is degraded now stays: the upgrade was not at fault',
    facts: { ...LATE, past: { ...LATE.past, results: { healthy: true } }, health: health('Degraded') },
    state: 'InSync',
  },
  { title: 'one that is healthy in the end stays, however long it took', facts: LATE, state: 'InSync' },
  {
    title: 'a rollback that was written down and not begun is done',
    facts: { rollback: ROLLBACK, release: own({ status: 'failed', revision: 2 }) },
    state: 'RollbackDue',
  },
  {
    title: 'a rollback of a deployed revision that was written down is done',
    facts: { rollback: ROLLBACK, release: own({ revision: 2 }) },
    state: 'RollbackDue',
  },
  {
    title: 'one that went back stays there and says what failed',
    facts: { ...RECOVERABLE, rollback: ROLLBACK, release: own({ revision: 3, configDigest: 'yesterday' }) },
    state: 'RolledBack',
  },
  {
    title: 'one that went back does not try its target again though that is out of step',
    facts: { rollback: ROLLBACK, release: own({ revision: 4, configDigest: 'yesterday' }), dependencies: UNREADY },
    state: 'RolledBack',
  },
  {
    title: 'one that could not go back says so and stops',
    facts: { rollback: ROLLBACK, release: own({ revision: 3, status: 'failed', configDigest: 'yesterday' }) },
    state: 'RollbackFailed',
  },
  {
    title: 'one that went back is upgraded to another target',
    facts: { rollback: { ...ROLLBACK, digest: 'older' }, release: own({ revision: 3, configDigest: 'yesterday' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one that went back tries its target again when the spec is new or somebody asks',
    facts: { asked: true, release: own({ revision: 3, configDigest: 'yesterday' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one whose release was made anew since its rollback is judged by that',
    facts: { rollback: ROLLBACK, release: own({ revision: 1 }) },
    state: 'InSync',
  },
  {
    title: 'one whose CRD is not served yet is watched',
    facts: { crds: [crd('as', false)] },
    state: 'InSync',
  },
  {
    title: 'one whose workloads come up is watched',
    facts: { health: health('Progressing') },
    state: 'InSync',
  },
  {
    title: 'one whose workloads are missing is watched',
    facts: { health: health('Missing') },
    state: 'InSync',
  },
  {
    title: 'one whose workloads nobody has looked at is watched',
    facts: { health: health('Unknown') },
    state: 'InSync',
  },
  { title: 'one whose workloads failed is reported', facts: { health: health('Degraded') }, state: 'InSync' },
  { title: 'one whose objects drifted has them put right', facts: { drift: drift() }, state: 'Drifted' },
  {
    title: 'a degraded one whose objects drifted has them put right',
    facts: { drift: drift(), health: health('Degraded') },
    state: 'Drifted',
  },
  {
    title: 'one whose objects drifted is ready when it only warns',
    facts: { drift: drift(), driftMode: 'Warn' },
    state: 'InSync',
  },
  {
    title: 'one whose objects somebody changes again and again is left alone',
    facts: { drift: drift(true) },
    state: 'InSync',
  },
  { title: 'one that is healthy and untested is tested', facts: { testing: true }, state: 'Untested' },
  {
    title: 'one that comes up is not tested yet',
    facts: { testing: true, health: health('Progressing') },
    state: 'InSync',
  },
  {
    title: 'one whose tests passed is ready',
    facts: { testing: true, past: { results: { tested: true }, overdue: false } },
    state: 'InSync',
  },
  {
    title: 'one whose tests failed says so',
    facts: { testing: true, past: { results: TESTED_BADLY, overdue: false } },
    state: 'InSync',
    tests: 'Failed',
  },
  {
    title: 'one whose tests failed is tested again when somebody asks',
    facts: { testing: true, asked: true, past: { results: TESTED_BADLY, overdue: false } },
    state: 'Untested',
  },
  {
    title: 'one whose tests failed after it was healthy does not go back',
    facts: { ...RECOVERABLE, testing: true, past: { ...RECOVERABLE.past, results: { tested: false, healthy: true } } },
    state: 'InSync',
    tests: 'Failed',
  },
  {
    title: 'one whose failed tests nobody wants any more is ready',
    facts: { ...RECOVERABLE, past: { ...RECOVERABLE.past, results: TESTED_BADLY } },
    state: 'InSync',
  },
  { title: 'one that is as it should be is ready', facts: {}, state: 'InSync' },
  { title: 'one with a paused workload is ready', facts: { health: health('Suspended') }, state: 'InSync' },
  { title: 'one that somebody asks to look again is ready', facts: { asked: true }, state: 'InSync' },
];

describe('what an Operator that was deployed is', () => {
  for (const { title, facts, state, tests = 'NotFailed' } of CASES) {
    it(title, () => {
      const determined = determineActiveState({ ...LIVING, ...facts });
      assert.equal(determined.kind, state);
      if (determined.kind === 'InSync') assert.equal(determined.tests, tests);
    });
  }

  it('goes back to the revision that was healthy, from the one that failed', () => {
    const state = determineActiveState({ ...LIVING, ...RECOVERABLE, release: own({ status: 'failed', revision: 2 }) });
    assert.ok(state.kind === 'RollbackDue');
    const { revision, toRevision, cause } = state.failure;
    assert.deepEqual({ revision, toRevision, cause }, { revision: 2, toRevision: 1, cause: 'UpgradeFailed' });
  });
});
