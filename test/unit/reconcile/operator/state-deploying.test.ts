import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { determineActiveState, type ActiveFacts, type ActiveState } from '../../../../src/reconcile/operator/state.ts';
import { CHART, ABSENT, LIVING, RECOVERABLE, UNREADY, own, foreign, health, drift } from '../../../support/operator-facts.ts';

interface Case {
  readonly title: string;
  readonly facts: Partial<ActiveFacts>;
  readonly state: ActiveState['kind'];
}

const CASES: readonly Case[] = [
  { title: 'a suspended one rests', facts: { suspended: true }, state: 'Suspended' },
  {
    title: 'a suspended one rests before it gets our finalizer',
    facts: { suspended: true, hasFinalizer: false },
    state: 'Suspended',
  },
  {
    title: 'a suspended one rests though its release is locked',
    facts: { suspended: true, release: own({ status: 'pending-upgrade' }) },
    state: 'Suspended',
  },
  { title: 'a suspended one rests though somebody forces it', facts: { suspended: true, forced: true }, state: 'Suspended' },
  {
    title: 'a new one gets our finalizer before anything else',
    facts: { hasFinalizer: false, release: ABSENT },
    state: 'FinalizerMissing',
  },
  {
    title: 'one without our finalizer gets it before a locked release is freed',
    facts: { hasFinalizer: false, release: own({ status: 'pending-install' }) },
    state: 'FinalizerMissing',
  },
  {
    title: 'a renamed one waits for the deletion of its former one',
    facts: { move: { kind: 'Pending', former: 'ns/old' }, release: foreign() },
    state: 'MovePending',
  },
  {
    title: 'a renamed one installs nothing while its former one has another release',
    facts: { move: { kind: 'Impossible', former: 'ns/old', message: 'no' }, release: ABSENT },
    state: 'MovePending',
  },
  {
    title: 'a renamed one takes over before a locked release is freed',
    facts: { move: { kind: 'Due', former: 'ns/old', label: 'ns.old' }, release: own({ status: 'pending-upgrade' }) },
    state: 'MoveDue',
  },
  {
    title: 'one whose release somebody has made by hand is rejected',
    facts: { release: foreign() },
    state: 'Foreign',
  },
  {
    title: 'one whose release another Operator owns is rejected',
    facts: { release: foreign({ owner: 'n.other' }) },
    state: 'Foreign',
  },
  {
    title: 'one that adopts is rejected the release of another Operator all the same',
    facts: { adopt: true, release: foreign({ owner: 'n.other' }) },
    state: 'Foreign',
  },
  {
    title: 'one that adopts keeps off a release that somebody is changing',
    facts: { adopt: true, release: foreign({ status: 'pending-upgrade' }) },
    state: 'Foreign',
  },
  {
    title: 'one that is forced is still rejected a foreign release',
    facts: { forced: true, release: foreign() },
    state: 'Foreign',
  },
  {
    title: 'a release that is half installed is unlocked',
    facts: { release: own({ status: 'pending-install' }) },
    state: 'Locked',
  },
  {
    title: 'a release that is half upgraded is unlocked',
    facts: { release: own({ status: 'pending-upgrade' }) },
    state: 'Locked',
  },
  {
    title: 'a release that is half rolled back is unlocked',
    facts: { release: own({ status: 'pending-rollback' }) },
    state: 'Locked',
  },
  {
    title: 'a release that is half gone is unlocked',
    facts: { release: own({ status: 'uninstalling' }) },
    state: 'Locked',
  },
  {
    title: 'a locked release is freed before any waiting',
    facts: { release: own({ status: 'pending-install' }), wait: 9 },
    state: 'Locked',
  },
  {
    title: 'a locked release is freed though its chart cannot be fetched',
    facts: { release: own({ status: 'pending-upgrade' }), chart: { error: new AppError('ChartNotFound', 'x') } },
    state: 'Locked',
  },
  { title: 'one whose next attempt is not due waits', facts: { wait: 5, release: ABSENT }, state: 'Waiting' },
  {
    title: 'a failed one waits for its next attempt',
    facts: { wait: 5, release: own({ status: 'failed' }) },
    state: 'Waiting',
  },
  {
    title: 'one that adopts waits for its next attempt',
    facts: { wait: 5, adopt: true, release: foreign() },
    state: 'Waiting',
  },
  {
    title: 'one whose chart cannot be fetched says so',
    facts: { chart: { error: new AppError('ChartNotFound', 'x') } },
    state: 'Unfetched',
  },
  {
    title: 'one whose chart cannot be fetched says so though it is forced',
    facts: { forced: true, chart: { error: new AppError('ChartUnreachable', 'x') } },
    state: 'Unfetched',
  },
  {
    title: 'one whose values cannot be read says so',
    facts: { chart: { chart: CHART, unresolved: new AppError('ValuesInvalid', 'x') } },
    state: 'Unresolved',
  },
  {
    title: 'one whose dependency is not ready is not installed yet',
    facts: { release: ABSENT, dependencies: UNREADY },
    state: 'Blocked',
  },
  {
    title: 'one whose dependency is not ready is not upgraded yet',
    facts: { release: own({ configDigest: 'yesterday' }), dependencies: UNREADY },
    state: 'Blocked',
  },
  {
    title: 'one whose dependency is not ready is not forced',
    facts: { forced: true, dependencies: UNREADY },
    state: 'Blocked',
  },
  {
    title: 'one whose dependency is not ready does not try its failed upgrade again',
    facts: { release: own({ status: 'failed' }), dependencies: UNREADY },
    state: 'Blocked',
  },
  {
    title: 'one whose dependency is not ready does not adopt yet',
    facts: { adopt: true, release: foreign(), dependencies: UNREADY },
    state: 'Blocked',
  },
  {
    title: 'one that depends on itself is not installed',
    facts: { release: ABSENT, dependencies: { waiting: [], cycle: ['n/o', 'n/o'] } },
    state: 'Blocked',
  },
  {
    title: 'one in step stays so though its dependency is not ready',
    facts: { dependencies: UNREADY },
    state: 'InSync',
  },
  { title: 'one without a release is installed', facts: { release: ABSENT }, state: 'Absent' },
  {
    title: 'one whose dependencies are ready is installed',
    facts: { release: ABSENT, dependencies: { waiting: [] } },
    state: 'Absent',
  },
  {
    title: 'one without a release is installed though it would adopt one',
    facts: { adopt: true, release: ABSENT },
    state: 'Absent',
  },
  {
    title: 'one without a release is installed when it is forced',
    facts: { forced: true, release: ABSENT },
    state: 'Absent',
  },
  {
    title: 'one that adopts takes over a release of nobody',
    facts: { adopt: true, release: foreign() },
    state: 'Adoptable',
  },
  {
    title: 'one that adopts takes over a failed release of nobody',
    facts: { adopt: true, release: foreign({ status: 'failed' }) },
    state: 'Adoptable',
  },
  {
    title: 'one whose release is of another step is upgraded',
    facts: { release: own({ configDigest: 'yesterday' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one whose newest revision has no step is upgraded',
    facts: { release: own({ configDigest: '' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one whose newest revision is superseded is upgraded',
    facts: { release: own({ status: 'superseded' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one whose revision failed for an older step is upgraded to the newer one',
    facts: { ...RECOVERABLE, release: own({ status: 'failed', configDigest: 'yesterday' }) },
    state: 'OutOfSync',
  },
  {
    title: 'one whose target moved is upgraded before its CRDs are restored',
    facts: { release: own({ configDigest: 'yesterday' }), crds: [] },
    state: 'OutOfSync',
  },
  {
    title: 'one whose last upgrade failed is upgraded again',
    facts: { release: own({ status: 'failed' }) },
    state: 'Failed',
  },
  {
    title: 'one whose install failed is tried again when it would roll back but has nothing to go back to',
    facts: { remediation: 'Rollback', release: own({ status: 'failed' }) },
    state: 'Failed',
  },
  {
    title: 'one whose upgrade failed is tried again when nobody asks for a rollback',
    facts: { past: RECOVERABLE.past, release: own({ status: 'failed' }) },
    state: 'Failed',
  },
  { title: 'one in step is upgraded when somebody forces it', facts: { forced: true }, state: 'Forced' },
  {
    title: 'a degraded one is upgraded when somebody forces it',
    facts: { forced: true, health: health('Degraded') },
    state: 'Forced',
  },
  {
    title: 'a drifted one is upgraded when somebody forces it',
    facts: { forced: true, drift: drift() },
    state: 'Forced',
  },
  { title: 'one whose CRD is gone gets it back', facts: { crds: [] }, state: 'CrdsMissing' },
  {
    title: 'one whose CRD is gone gets it back before anything is put right',
    facts: { crds: [], drift: drift() },
    state: 'CrdsMissing',
  },
];

describe('what an Operator that is to stay is before it is in step', () => {
  for (const { title, facts, state } of CASES) {
    it(title, () => {
      const determined = determineActiveState({ ...LIVING, ...facts });
      assert.equal(determined.kind, state);
    });
  }
});
