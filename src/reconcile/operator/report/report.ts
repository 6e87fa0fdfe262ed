import type { ReconcileResult } from '../../../controller/controller.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { type ConditionInput, findCondition } from '../../../domain/kubernetes/condition.ts';
import { crdOwner } from '../../../domain/operator/crd-owner.ts';
import type { LegacyStatus, PendingUpgrade, Rollback } from '../../../domain/operator/kind/status-fields.ts';
import { claimedCrds } from '../../../domain/operator/operator-spec.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import { effectiveLeaves } from '../../../domain/values/layers.ts';
import { ownCrds } from '../acts/apply-crds.ts';
import { publish } from '../acts/publish.ts';
import { type CrdFact, findCrd, observeReservedCrds } from '../facts/observe-crds.ts';
import type { ForeignRelease } from '../../helm-release/observe-release.ts';
import type { DependencyFact } from '../facts/observe-dependencies.ts';
import type { Chart } from '../../helm-release/ports.ts';
import type { Finding } from './compose-status.ts';
import type { ActiveFacts, ActiveState, InSync } from '../state.ts';
import type { Work } from '../work.ts';
import { chartOfRevision } from '../../../domain/operator/revision-history.ts';
import { crdsEstablished, drifted, fetched, healthy, UNTESTED, waitingSentence } from './conditions.ts';
import { isFalse, isTrue, notReady, reconciling, released, stalled } from '../../conditions.ts';
import { type Failure, reportFailure } from './report-failure.ts';
import { reportMove } from './report-move.ts';
import { writeStatus } from './write-status.ts';

/** States in which only the status is written. */
const REPORTED = [
  'Suspended',
  'MovePending',
  'Waiting',
  'Reserved',
  'Foreign',
  'Unfetched',
  'Unresolved',
  'Blocked',
  'RolledBack',
  'RollbackFailed',
  'InSync',
  'OutsideWindow',
] as const satisfies readonly ActiveState['kind'][];

/** What an Operator is while it needs no action. */
export type ReportedState = Extract<ActiveState, { kind: (typeof REPORTED)[number] }>;

export function isReported(state: ActiveState): state is ReportedState {
  return REPORTED.some((kind) => kind === state.kind);
}

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
    case 'MovePending':
      return reportMove(work, facts, state.move);
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

const SLOWEST_POLL_MS = 5_000;

/** Values by which charts leave their CRDs out: `crds.enabled`, `installCRDs`, `operator.crds.create`. */
const SWITCH = /^(?:.+\.)?(?:crds?\.(?:enabled?|install|create)|(?:install|create)CRDs?)$/;

const RUN_TIME =
  'If the operator registers its CRDs at run time, they are published once they have the Helm annotations of the release, or spec.catalog.kinds[].definition names them. If its project ships them separately from the chart, apply them first';

const LEGACY: Readonly<Record<Outcome, LegacyStatus>> = {
  Progressing: 'INSTALLING',
  Degraded: 'ERROR',
  TestFailed: 'ERROR',
  Ready: 'READY',
};

/** What the health of a release that is as desired means for the Operator. */
type Outcome = 'Progressing' | 'Degraded' | 'TestFailed' | 'Ready';

/** Writes the conditions of a release that is as desired: its CRDs, the health of its workloads, its tests. */
async function reportReleaseHealth(work: Work, facts: ActiveFacts, state: InSync): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { chart, health } = state;
  const outcome = outcomeOf(state);
  const pending = facts.held ?? chart.pending;
  const waits = pending === undefined ? '' : `. ${waitingSentence(pending)}`;
  await ownCrds(work, crds);
  await publish(work, crds);
  const conditions = [
    fetched(work.spec.chart, chart),
    released(work.release, release.kind === 'Own' ? release.revision : 0),
    (await rejectedClaim(work, crds)) ?? (crds.length === 0 ? await noKinds(work, facts, chart) : crdsEstablished(crds)),
    healthy(health),
    ...testedSoFar(work, facts),
  ];
  const drift = facts.drift === undefined ? [] : [drifted(facts.drift)];
  const blocker = conditions.find((condition) => condition.status !== 'True');
  const { name, version } = chart.contents.metadata;
  const ready =
    blocker === undefined ? isTrue('Ready', 'Ready', `Chart ${name} ${version} is installed and healthy${waits}`) : notReady(blocker);
  await writeStatus(work, {
    legacyStatus: blocker?.reason === 'CrdConflict' ? 'ERROR' : LEGACY[outcome],
    ready,
    ...(outcome === 'Progressing' ? { phase: reconciling(ready) } : {}),
    ...(outcome === 'TestFailed' ? { phase: stalled(ready) } : {}),
    conditions: [...conditions, ...drift],
    release,
    crds,
    chart,
    ...(facts.held === undefined ? {} : { pending: facts.held }),
    ...provenanceOf(facts),
    ...stepOf(facts),
    ...(outcome === 'Ready' ? { results: { healthy: true }, rollback: 'Forgotten' as const } : {}),
    failures: 0,
  });
  return { requeueAfter: outcome === 'Ready' || outcome === 'TestFailed' ? work.spec.interval : pollDelay(work) };
}

function outcomeOf({ health, unestablished, tests }: InSync): Outcome {
  if (unestablished.length > 0) return 'Progressing';
  switch (health.status) {
    case 'Progressing':
    case 'Unknown':
    case 'Missing':
      return 'Progressing';
    case 'Degraded':
      return 'Degraded';
    case 'Healthy':
    case 'Suspended':
      return tests === 'Failed' ? 'TestFailed' : 'Ready';
    default:
      return health.status satisfies never;
  }
}

/** How the tests of this revision ended, as reported then. */
function testedSoFar({ status, spec }: Work, { past }: ActiveFacts): readonly ConditionInput[] {
  if (!spec.test.enable) return [];
  const { tested: passed } = past.results;
  if (passed === undefined) return [UNTESTED];
  const known = findCondition(status.conditions, 'Tested');
  if (known !== undefined && known.status === (passed ? 'True' : 'False')) return [known];
  return [passed ? isTrue('Tested', 'TestsPassed', 'The tests passed') : isFalse('Tested', 'TestFailed', 'A test failed')];
}

/** Of an upgrade that waits nothing is in the release yet. */
function provenanceOf({ chart, held }: ActiveFacts): Pick<Finding, 'values'> {
  if (held !== undefined) return {};
  return { values: chart !== undefined && 'values' in chart ? chart.values.provenance : [] };
}

function stepOf({ chart }: ActiveFacts): { readonly configDigest?: string } {
  return chart !== undefined && 'configDigest' in chart ? { configDigest: chart.configDigest } : {};
}

/** One second at first, five when it takes long. */
function pollDelay({ ports, status }: Work): number {
  const since = Date.parse(findCondition(status.conditions, 'Ready')?.lastTransitionTime ?? '');
  const elapsed = Number.isNaN(since) ? 0 : ports.now().getTime() - since;
  return Math.min(SLOWEST_POLL_MS, 1_000 + Math.max(0, elapsed) / 10);
}

/** That an Operator has no kinds, with the likely cause. What was said of the same chart and spec stands, so that the chart is not read again. */
async function noKinds(work: Work, facts: Pick<ActiveFacts, 'chart'>, chart: Chart): Promise<ConditionInput> {
  const { status, generation } = work;
  const condition = findCondition(status.conditions, 'CRDsEstablished');
  if (condition?.reason === 'NoCRDs' && condition.observedGeneration === generation && status.chart?.digest === chart.digest) {
    return isTrue('CRDsEstablished', 'NoCRDs', condition.message);
  }
  return isTrue('CRDsEstablished', 'NoCRDs', `The Operator has no kinds: ${await likelyCause(work, facts, chart)}`);
}

async function likelyCause({ ports, spec }: Work, facts: Pick<ActiveFacts, 'chart'>, { digest }: Chart): Promise<string> {
  const defaults = (await ports.charts.contents(digest))?.values ?? {};
  const values = facts.chart !== undefined && 'values' in facts.chart ? facts.chart.values.values : {};
  const leaves = effectiveLeaves([
    { origin: 'the chart', values: defaults },
    { origin: 'the Operator', values },
  ]);
  const off = leaves.find(({ path, value }) => value === false && SWITCH.test(path));
  if (off !== undefined) return `${off.path} is false in the values of ${off.origin}; set it to true in spec.values`;
  const claims = claimedCrds(spec);
  if (claims.length > 0) return `nothing has registered ${claims.join(', ')} yet, which spec.catalog names`;
  return `the chart has no CRDs. ${RUN_TIME}`;
}

/** The condition that names the first CRD that the Operator claims or registers although it is somebody else's; undefined when there is none. */
async function rejectedClaim(work: Work, crds: readonly CrdFact[]): Promise<ConditionInput | undefined> {
  const { name, namespace = 'default' } = work.operator.metadata;
  const [reserved] = await observeReservedCrds(work.ports.cluster, work.release, { label: work.label, signal: work.signal });
  if (reserved !== undefined) {
    const message = `kind "${reserved}": its API group belongs to Chandlery, and the operator registered it at run time; delete the CRD, and use another operator`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  const own = new Set(crds.map((crd) => crd.name));
  for (const claimed of claimedCrds(work.spec).filter((definition) => !own.has(definition))) {
    const crd = await findCrd(work.ports.cluster, claimed, work.signal);
    const owner = crd === undefined ? undefined : crdOwner(crd);
    if (owner === undefined) continue;
    const message = `kind "${claimed}": ${owner} owns it, and the Operator "${namespace}/${name}" claims it in spec.catalog.kinds; remove it from one of the two`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  return undefined;
}
