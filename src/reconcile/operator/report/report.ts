import type { ReconcileResult } from '../../../controller/controller.ts';
import { AppError } from '../../../domain/core/errors.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import type { PendingUpgrade, Rollback } from '../../../domain/operator/kind/status-fields.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import type { ForeignRelease } from '../facts/observe-release.ts';
import type { DependencyFact } from '../facts/observe-dependencies.ts';
import type { ActiveFacts, ActiveState } from '../state.ts';
import type { Work } from '../work.ts';
import { chartOfRevision } from '../../../domain/operator/revision-history.ts';
import { fetched, healthy, isFalse, reconciling, stalled } from './conditions.ts';
import { type Failure, reportFailure } from './report-failure.ts';
import { reportReleaseHealth } from './report-release-health.ts';
import { notReady, writeStatus } from './write-status.ts';

/** States in which only the status is written. */
type ReportedState = Extract<
  ActiveState,
  {
    kind:
      | 'Suspended'
      | 'Waiting'
      | 'Reserved'
      | 'Foreign'
      | 'Unfetched'
      | 'Unresolved'
      | 'Blocked'
      | 'RolledBack'
      | 'RollbackFailed'
      | 'InSync'
      | 'OutsideWindow';
  }
>;

const WAIT_MS = 5_000;

/** A cycle ends by an edit of any of its Operators. */
const CYCLE_MS = 30_000;

/** How often the health of what came back is looked at. */
const HEALTH_MS = 30_000;

type AfterRollback = Extract<ActiveState, { kind: 'RolledBack' | 'RollbackFailed' }>;

const CAUSES = { UpgradeFailed: 'Helm failed', TestFailed: 'its test failed', Unhealthy: 'it did not become healthy in time' };
const ADVICE = 'CRDs are not rolled back. Change the chart or the values, or set the annotation chandlery.dev/force-at to retry';

/** Writes the status of an Operator that needs no action; the result says when to reconcile it again. */
export async function report(work: Work, facts: ActiveFacts, state: ReportedState): Promise<ReconcileResult> {
  switch (state.kind) {
    case 'Suspended':
      return reportSuspended(work, facts);
    case 'Waiting':
      return { requeueAfter: Math.max(state.wait, 1_000) };
    case 'Reserved':
      return reportReserved(work, facts, state.error);
    case 'Foreign':
      return reportForeign(work, facts, state.release);
    case 'Unfetched':
      return reportObstacle(work, facts, { error: state.error, condition: isFalse('Fetched', state.error.code, state.error.message) });
    case 'Unresolved':
      return reportObstacle(work, facts, {
        error: state.error,
        condition: isFalse('Released', state.error.code, state.error.message),
        conditions: [fetched(work.spec.chart, state.chart)],
        chart: state.chart,
      });
    case 'Blocked':
      return reportBlocked(work, facts, state);
    case 'RolledBack':
    case 'RollbackFailed':
      return reportRollback(work, facts, state);
    case 'InSync':
      return reportReleaseHealth(work, facts, state);
    case 'OutsideWindow':
      return reportOutsideWindow(work, facts, state);
    default:
      return state satisfies never;
  }
}

/** Nothing is written; what runs stays. */
async function reportReserved(work: Work, { wait, release, crds }: ActiveFacts, error: AppError): Promise<ReconcileResult> {
  if (wait > 0) return { requeueAfter: wait };
  return { requeueAfter: await reportFailure(work, { error, condition: isFalse('Released', error.code, error.message), release, crds }) };
}

async function reportSuspended(work: Work, { release, crds }: ActiveFacts): Promise<ReconcileResult> {
  const ready = isFalse('Ready', 'Suspended', 'The Operator is suspended; set spec.suspend to false to resume');
  await writeStatus(work, { legacyStatus: work.status.status ?? 'INSTALLING', ready, conditions: [], release, crds });
  return {};
}

/** What cannot be looked up again does not harm what was installed from it. */
async function reportObstacle(
  work: Work,
  { release, crds }: ActiveFacts,
  failure: Omit<Failure, 'release' | 'crds' | 'readiness'>,
): Promise<ReconcileResult> {
  const { status, generation } = work;
  const isCurrent =
    status.status === 'READY' && status.observedGeneration === generation && release.kind === 'Own' && release.status === 'deployed';
  return { requeueAfter: await reportFailure(work, { ...failure, release, crds, ...(isCurrent ? { readiness: 'Ready' as const } : {}) }) };
}

/** Says what the Operator waits for. What is installed stays as it is. */
async function reportBlocked(
  work: Work,
  { release, crds }: ActiveFacts,
  { chart, dependencies }: Extract<ActiveState, { kind: 'Blocked' }>,
): Promise<ReconcileResult> {
  const condition = blockedBy(dependencies);
  const isCycle = dependencies.cycle !== undefined;
  await writeStatus(work, {
    legacyStatus: isCycle ? 'ERROR' : 'INSTALLING',
    ready: notReady(condition),
    phase: isCycle ? stalled(condition) : reconciling(condition),
    conditions: [fetched(work.spec.chart, chart), condition],
    release,
    crds,
    chart,
  });
  return { requeueAfter: isCycle ? CYCLE_MS : WAIT_MS };
}

function blockedBy({ waiting, cycle }: DependencyFact): ConditionInput {
  if (cycle !== undefined) {
    const message = `spec.dependsOn leads back to itself: ${cycle.join(' → ')}; remove one of them`;
    return isFalse('Released', 'DependencyCycle', message);
  }
  const sentence = waiting.map(({ operator, why }) => `Operator ${operator}: ${why}`).join('; ');
  return isFalse('Released', 'DependencyNotReady', `Waiting for dependencies: ${sentence}`);
}

/** Says that an upgrade waits for the maintenance window, and how what runs is meanwhile. Looks again when it opens. */
async function reportOutsideWindow(
  work: Work,
  facts: ActiveFacts,
  { runs, pending }: Extract<ActiveState, { kind: 'OutsideWindow' }>,
): Promise<ReconcileResult> {
  const { requeueAfter } =
    runs === undefined ? await reportFailedUpgrade(work, facts, pending) : await reportReleaseHealth(work, facts, runs);
  const untilOpen = Date.parse(pending.opensAt ?? '') - work.ports.now().getTime();
  return { requeueAfter: Math.max(1_000, Math.min(requeueAfter ?? untilOpen, untilOpen)) };
}

async function reportFailedUpgrade(work: Work, { release, crds }: ActiveFacts, pending: PendingUpgrade): Promise<ReconcileResult> {
  const message = `The last upgrade failed; the controller retries when the maintenance window opens, ${pending.opensAt ?? ''}`;
  const condition = isFalse('Released', 'OutsideWindow', message);
  await writeStatus(work, { legacyStatus: 'ERROR', ready: notReady(condition), conditions: [condition], release, crds, pending });
  return {};
}

/** Says who has a release of that name. It is never touched. */
async function reportForeign(work: Work, facts: ActiveFacts, foreign: ForeignRelease): Promise<ReconcileResult> {
  if (facts.wait > 0) return { requeueAfter: facts.wait };
  const { release, namespace } = work.release;
  const error = new AppError('ReleaseConflict', `release "${namespace}/${release}": ${conflictOf(work, foreign)}`);
  const condition = isFalse('Released', error.code, error.message);
  return { requeueAfter: await reportFailure(work, { error, condition, release: facts.release, crds: facts.crds }) };
}

function conflictOf({ spec }: Work, { owner, status }: ForeignRelease): string {
  const otherName = 'choose another spec.releaseName, or uninstall that release';
  if (owner !== '') return `the Operator "${owner.replace('.', '/')}" owns it; ${otherName}`;
  if (spec.adopt) return `another client is changing it (${status}); Chandlery adopts it afterwards`;
  return `it was installed without Chandlery; set spec.adopt to adopt it, ${otherName}`;
}

/** Says what failed, what runs now, and what to do. It stays so until the spec, the chart or a value changes, or somebody asks. */
async function reportRollback(work: Work, facts: ActiveFacts, state: AfterRollback): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { rollback, health, target } = state;
  const running = chartOfRevision(work.status, rollback.toRevision) ?? work.status.chart;
  const sound = state.kind === 'RolledBack' && (health.status === 'Healthy' || health.status === 'Suspended');
  const condition = state.kind === 'RolledBack' ? rolledBack(rollback, running) : rollbackFailed(rollback);
  await writeStatus(work, {
    legacyStatus: sound ? 'READY' : 'ERROR',
    ready: notReady(condition),
    phase: stalled(condition),
    conditions: [condition, healthy(health)],
    release,
    crds,
    chart: target.chart,
    configDigest: target.configDigest,
    ...(running === undefined ? {} : { running }),
    results: sound ? { healthy: true } : {},
    failures: 0,
  });
  return { requeueAfter: Math.min(HEALTH_MS, work.spec.interval) };
}

function rolledBack({ chart, revision, toRevision, cause, message }: Rollback, running: OperatorStatus['chart']): ConditionInput {
  const failed = `Chart ${chart} failed in revision ${revision} (${CAUSES[cause]}): ${message}`;
  const runs = `revision ${toRevision}${running === undefined ? '' : ` with chart ${running.name} ${running.version}`} runs again`;
  return isFalse('Released', 'RolledBack', `${failed}. So ${runs}. ${ADVICE}`);
}

function rollbackFailed({ chart, revision, toRevision, message }: Rollback): ConditionInput {
  const failed = `Chart ${chart} failed in revision ${revision}: ${message}`;
  return isFalse('Released', 'RollbackFailed', `${failed}. The rollback to revision ${toRevision} failed too. ${ADVICE}`);
}
