import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { OwnRelease } from '../../../../src/reconcile/helm-release/observe-release.ts';
import type { Target } from '../../../../src/reconcile/instance/resolve-target.ts';
import { type ActiveFacts, determineActiveState } from '../../../../src/reconcile/instance/state.ts';

const CHART = { digest: 'sha256:1', path: '/c.tgz', contents: { metadata: { name: 'web', version: '1.0.0' }, crds: [] } };
const VALUES = { values: {}, provenance: [], secrets: [], revisions: [] };
const TARGET: Target = { chart: CHART, revision: 'web-1', values: VALUES, ignored: [], configDigest: 'new', nodeSelector: {}, allowed: [] };
const ERROR = new AppError('NotFound', 'no');
const ROLLBACK = {
  digest: 'new',
  chart: 'web 1.0.0',
  revision: 2,
  toRevision: 1,
  cause: 'UpgradeFailed',
  message: '',
  generation: 1,
  requestedAt: '',
  time: '',
} as const;

function own(revision: number, status: OwnRelease['status'] = 'deployed', configDigest = 'new'): OwnRelease {
  return { kind: 'Own', revision, status, configDigest, recordVersion: '', records: [] };
}

const FACTS: ActiveFacts = {
  hasFinalizer: true,
  suspended: false,
  wait: 0,
  forced: false,
  testAsked: false,
  adopt: false,
  release: { kind: 'Absent' },
  expired: false,
  wasHealthy: false,
  overdue: false,
  recent: false,
  target: TARGET,
};
const FOREIGN = { kind: 'Foreign', owner: '', revision: 1, status: 'deployed' } as const;
const SCALE = { replicas: 0 };
const QUIET = { changes: [], asleep: [], scale: SCALE };
const AWAKE = {
  changes: [{ workload: { apiVersion: '', kind: '', metadata: { name: '' } }, patch: { metadata: { annotations: {} } } }],
  asleep: [],
  scale: SCALE,
};
const WAITS = { reason: 'DependencyNotReady', message: 'PostgresServer db: it is not ready' } as const;
const SICK = { status: 'Degraded', message: 'no' } as const;

describe('the state of an instance', () => {
  const cases: readonly (readonly [why: string, facts: Partial<ActiveFacts>, state: string])[] = [
    ['nothing is done to what is suspended', { suspended: true, hasFinalizer: false }, 'Suspended'],
    ['without an environment there is nobody to release as', { noEnvironment: ERROR, hasFinalizer: false }, 'NoEnvironment'],
    ['what is to be removed in the end is written down first', { hasFinalizer: false }, 'FinalizerMissing'],
    ['a namespace of its own comes before its release', { dedicated: { kind: 'Missing' } }, 'NamespaceMissing'],
    [
      'that of somebody else is left alone, whatever is in it',
      { dedicated: { kind: 'Foreign', message: '' }, release: own(1) },
      'NamespaceTaken',
    ],
    ['nothing is released into one that goes', { dedicated: { kind: 'Terminating', message: '' }, wait: 5 }, 'NamespaceTerminating'],
    [
      'none is made for what is beyond a limit',
      { dedicated: { kind: 'Missing' }, limit: { kind: 'Exceeded', error: ERROR } },
      'BeyondLimit',
    ],
    ['none is made for what has expired', { dedicated: { kind: 'Missing' }, expired: true }, 'Expired'],
    ['a release of somebody else stays', { release: FOREIGN }, 'Foreign'],
    ['also while it waits', { release: FOREIGN, wait: 5 }, 'Foreign'],
    ['unless its owner is nobody and it is asked for', { release: FOREIGN, adopt: true }, 'OutOfSync'],
    ['what another instance owns is not adopted', { release: { ...FOREIGN, owner: 'webs.a' }, adopt: true }, 'Foreign'],
    ['nor what somebody is changing', { release: { ...FOREIGN, status: 'pending-upgrade' }, adopt: true }, 'Foreign'],
    ['it is put to sleep once it is deployed', { release: own(2), sleep: { wanted: true, fact: AWAKE } }, 'SleepDue'],
    [
      'and stays asleep, whatever the spec asks for',
      { release: own(2, 'deployed', 'old'), sleep: { wanted: true, fact: QUIET } },
      'Asleep',
    ],
    ['until it is to wake', { release: own(2), sleep: { wanted: false, fact: AWAKE } }, 'SleepDue'],
    ['a release that failed is made again first', { release: own(2, 'failed', 'old'), sleep: { wanted: true, fact: AWAKE } }, 'OutOfSync'],
    ['a cycle of outputs ends with a change by somebody', { release: own(2), target: { blocked: WAITS } }, 'Blocked'],
    ['nothing is installed before what it takes outputs of is ready', { target: { ...TARGET, waitsFor: WAITS } }, 'Blocked'],
    ['nor upgraded', { release: own(2, 'deployed', 'old'), target: { ...TARGET, waitsFor: WAITS } }, 'Blocked'],
    ['what runs as desired goes on meanwhile', { release: own(2), target: { ...TARGET, waitsFor: WAITS } }, 'InSync'],
    ['a dead worker leaves it pending', { release: own(2, 'pending-upgrade'), wait: 5 }, 'Locked'],
    [
      'somebody who changes it with helm is left to it',
      { release: own(3, 'pending-rollback'), managedRevision: 2, recent: true },
      'Waiting',
    ],
    ['who died in it, is not', { release: own(3, 'pending-rollback'), managedRevision: 2 }, 'Locked'],
    [
      'tests run when what is installed is healthy',
      { release: own(1), testAsked: true, health: { status: 'Healthy', message: '' } },
      'TestDue',
    ],
    ['and wait until it is', { release: own(1), testAsked: true, health: SICK }, 'InSync'],
    ['after a failure it waits', { wait: 5 }, 'Waiting'],
    ['what cannot be found is reported', { target: { error: ERROR } }, 'Unresolved'],
    ['it is installed', {}, 'Absent'],
    ['another spec is another revision', { release: own(1, 'deployed', 'old'), managedRevision: 1 }, 'OutOfSync'],
    ['a revision that failed without one before it is made again', { release: own(1, 'failed') }, 'OutOfSync'],
    ['with one before it, that comes back', { release: own(2, 'failed'), recovery: 1 }, 'RollbackDue'],
    ['a rollback that was begun goes on', { release: own(2, 'failed'), rollback: ROLLBACK }, 'RollbackDue'],
    ['and is not done again', { release: own(3, 'deployed', 'old'), rollback: ROLLBACK }, 'RolledBack'],
    ['unless a person insists', { release: own(3, 'deployed', 'old'), rollback: ROLLBACK, forced: true }, 'OutOfSync'],
    ['another spec after it is tried', { release: own(3, 'deployed', 'old'), rollback: { ...ROLLBACK, digest: 'x' } }, 'OutOfSync'],
    ['what does not become healthy in its time goes back', { release: own(2), recovery: 1, overdue: true, health: SICK }, 'RollbackDue'],
    [
      'unless all that it lacks is an address',
      { release: own(2), recovery: 1, overdue: true, health: { status: 'Progressing', message: '', lacks: 'Address' } },
      'InSync',
    ],
    ['not before', { release: own(2), recovery: 1, health: SICK }, 'InSync'],
    ['nor what was healthy once', { release: own(2), recovery: 1, overdue: true, wasHealthy: true, health: SICK }, 'InSync'],
    ['a revision of somebody else stays', { release: own(3), managedRevision: 2, appliedDigest: 'new' }, 'ChangedByHand'],
    ['until the spec changes', { release: own(3, 'deployed', 'old'), managedRevision: 2, appliedDigest: 'old' }, 'OutOfSync'],
    ['what is as desired is left alone', { release: own(1), managedRevision: 1, appliedDigest: 'new' }, 'InSync'],
  ];
  for (const [why, facts, state] of cases) {
    it(why, () => assert.equal(determineActiveState({ ...FACTS, ...facts }).kind, state));
  }
});
