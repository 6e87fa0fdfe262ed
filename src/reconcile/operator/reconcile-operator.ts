import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { claimedCrds } from '../../domain/operator/operator-spec.ts';
import { isInChart } from '../../domain/operator/operator-status.ts';
import { adopt, install, restoreCrds, upgrade } from './acts/install-or-upgrade.ts';
import { waitBeforeAttempt } from '../helm-release/retry.ts';
import { correctDrift, type DriftMemory, observeDrift } from './drift.ts';
import { type ChartMemory, fetchChart } from './charts/fetch-chart.ts';
import { addFinalizer } from '../finalizer.ts';
import { deferUpgrade } from './facts/defer-upgrade.ts';
import { clearLease, unlockRelease } from './acts/with-release-lease.ts';
import type { LeaseMemory } from '../helm-release/release-lease.ts';
import { observeCrds, type CrdFact } from './facts/observe-crds.ts';
import { observeDependencies } from './facts/observe-dependencies.ts';
import { observeHealth } from './facts/observe-health.ts';
import { observeReservation } from './facts/observe-reservation.ts';
import { observeRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { readHistory } from './facts/read-history.ts';
import { report } from './report/report.ts';
import { rollBack } from './acts/roll-back.ts';
import { determineActiveState, isAdoptable, type ActiveFacts, type ActiveState } from './state.ts';
import { testRelease } from './acts/test-release.ts';
import { hasFinalizer, type Work } from './work.ts';

/** What was seen lately, so that a settled Operator costs little. */
export interface OperatorMemory {
  readonly charts: ChartMemory;
  readonly drift: DriftMemory;
  readonly leases: LeaseMemory;
}

interface Observed {
  readonly work: Work;
  readonly facts: ActiveFacts;
}

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to ask again for a lease that somebody else holds. */
const BUSY_MS = 2_000;
/** How soon to look again at a lease that somebody else holds while nothing is to be changed. */
const HELD_MS = 5_000;

/** Brings an Operator that is to stay one action nearer to its spec: observes, says what is, and acts once. */
export async function reconcileOperator(memory: OperatorMemory, work: Work): Promise<ReconcileResult> {
  const facts = await observe(memory, work);
  return act(memory, { work, facts }, determineActiveState(facts));
}

/** One action for each state. */
async function act(memory: OperatorMemory, { work, facts }: Observed, state: ActiveState): Promise<ReconcileResult> {
  switch (state.kind) {
    case 'FinalizerMissing':
      await addFinalizer(work.ports.cluster, { type: OPERATOR, object: work.operator, signal: work.signal });
      return AT_ONCE;
    case 'Locked':
      return (await unlockRelease(work)) === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
    case 'Absent':
      return install(work, facts, state.target);
    case 'Adoptable':
      return adopt(work, facts, state);
    case 'Failed':
    case 'OutOfSync':
    case 'Forced':
      return upgrade(work, facts, state.target);
    case 'CrdsMissing':
      return restoreCrds(work, facts, state.target);
    case 'RollbackDue':
      return rollBack(work, facts, state.failure);
    case 'Untested':
      return testRelease(work, facts, state);
    case 'Drifted':
      return correctDrift(memory.drift, work, state.drift);
    case 'Suspended':
    case 'Waiting':
    case 'Reserved':
    case 'Foreign':
    case 'Unfetched':
    case 'Unresolved':
    case 'Blocked':
    case 'RolledBack':
    case 'RollbackFailed':
    case 'InSync':
    case 'OutsideWindow':
      return afterReport(memory.leases, work, await report(work, facts, state));
    default:
      return state satisfies never;
  }
}

/** Looks at as much as the next act needs, the cheapest first. */
async function observe(memory: OperatorMemory, work: Work): Promise<ActiveFacts> {
  const { ports, spec, signal } = work;
  const query = { label: work.label, signal };
  const [release, crds] = await Promise.all([
    observeRelease(ports.cluster, work.release, query),
    observeCrds(ports, work.release, { ...query, claims: claimedCrds(spec) }),
  ]);
  const facts = factsOf(work, release, crds);
  if (
    facts.suspended ||
    !facts.hasFinalizer ||
    facts.reserved !== undefined ||
    facts.wait > 0 ||
    (release.kind === 'Foreign' && !isAdoptable(facts, release))
  )
    return facts;
  const chart = await fetchChart(memory.charts, work);
  const hold = 'configDigest' in chart && release.kind === 'Own' ? await deferUpgrade(work, facts, { release, target: chart }) : undefined;
  if (hold !== undefined && release.kind === 'Own') {
    return release.status === 'deployed' ? observeUpToDate(memory, work, { ...facts, ...hold }) : { ...facts, ...hold };
  }
  if ('configDigest' in chart && release.kind === 'Own' && release.status === 'deployed') {
    if (release.configDigest === chart.configDigest) return observeUpToDate(memory, work, { ...facts, chart });
    if (facts.rollback?.digest === chart.configDigest) return { ...facts, chart, health: await observeHealth(work, crds) };
  }
  return spec.dependsOn.length === 0 ? { ...facts, chart } : { ...facts, chart, dependencies: await observeDependencies(work) };
}

/** What is known without asking anybody else. */
function factsOf(work: Work, release: ReleaseFact, crds: readonly CrdFact[]): ActiveFacts {
  const { ports, operator, spec, status, generation, requestedAt, references } = work;
  const reserved = observeReservation(ports, operator);
  const { lastAttempted, rollback } = status;
  const stands = rollback?.generation === generation && rollback.requestedAt === requestedAt;
  return {
    hasFinalizer: hasFinalizer(operator),
    suspended: spec.suspend,
    ...(reserved === undefined ? {} : { reserved }),
    adopt: spec.adopt,
    remediation: spec.upgrade.remediation,
    testing: spec.test.enable,
    forced: work.forcedAt !== '',
    asked: lastAttempted?.generation !== generation || lastAttempted.requestedAt !== requestedAt,
    driftMode: spec.driftDetection.mode,
    wait: waitBeforeAttempt({ status, generation, requestedAt, references, interval: spec.interval, now: ports.now() }),
    release,
    past: readHistory(work, release),
    ...(stands ? { rollback } : {}),
    crds,
    expectedCrds: status.crds.filter((crd) => isInChart(crd)).map((crd) => crd.name),
  };
}

/** The health, and as much more as a release in step is asked for. */
async function observeUpToDate(memory: OperatorMemory, work: Work, facts: ActiveFacts): Promise<ActiveFacts> {
  const { spec } = work;
  const health = await observeHealth(work, facts.crds);
  const dependencies = facts.forced && spec.dependsOn.length > 0 ? { dependencies: await observeDependencies(work) } : {};
  const { release } = facts;
  if (facts.driftMode === 'Disabled' || release.kind !== 'Own') return { ...facts, health, ...dependencies };
  return { ...facts, health, ...dependencies, drift: await observeDrift(memory.drift, work, release) };
}

/** Nothing is to be changed; what a worker that died left behind is cleared away when its time is over. */
async function afterReport(leases: LeaseMemory, work: Work, { requeueAfter }: ReconcileResult): Promise<ReconcileResult> {
  if ((await clearLease(leases, work)) === 'Held') return { requeueAfter: Math.min(requeueAfter ?? HELD_MS, HELD_MS) };
  return requeueAfter === undefined ? {} : { requeueAfter };
}
