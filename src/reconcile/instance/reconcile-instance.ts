import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import type { GeneratedKind } from '../../domain/app-instance/instance.ts';
import { MAX_NOTES } from '../../domain/app-instance/instance-kind.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { type ConditionInput, findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { FORCE_AT } from '../../domain/operator/operator-spec.ts';
import { lastHealthyRevision } from '../../domain/operator/revision-history.ts';
import { isFalse, isTrue, notReady, reconciling, released, stalled } from '../conditions.ts';
import { addFinalizer } from '../finalizer.ts';
import { memoizeVersion } from '../memoize-for.ts';
import { differencesSentence } from '../helm-release/compare-release.ts';
import { observeRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { clearLeaseOf, createLeaseMemory, type LeaseMemory } from '../helm-release/release-lease.ts';
import { waitBeforeAttempt } from '../helm-release/retry.ts';
import { AT_ONCE, BUSY_MS, deploy, testRelease } from './release-actions.ts';
import { firstDigests, reportChangedRecord, reportForeign } from './record-actions.ts';
import { rollBack, unlock } from './recover-release.ts';
import { findDedicatedNamespace, keepNamespace, type NamespaceMemory, reserveNamespace } from './dedicated-namespace.ts';
import { type DeployerMemory, forgetDeployer, keepDeployer } from './keep-deployer.ts';
import { environmentFault, limitOf } from './prerequisites.ts';
import { expire, isToSleep, reportExpiry, untilNextPhase } from './expiry.ts';
import { finalizeInstance } from './finalize-instance.ts';
import { type ObjectMemory, type ObservedObjects, observeObjects, observeRecord } from './observe-objects.ts';
import type { InstancePorts } from './ports.ts';
import { INTERVAL_MS, isInstalled, reportFailure, writeStatus } from './report.ts';
import type { Dependency } from './resolve-outputs.ts';
import { resolveTarget, type Target, wantedChart } from './resolve-target.ts';
import { observeSleep, reconcileSleep, wokenAt } from './sleep.ts';
import { type ActiveFacts, type ActiveState, determineActiveState } from './state.ts';
import { ADOPT, annotateCommand, leasedBy, type Work, workOn } from './work.ts';

/** What was seen lately, so that an instance in sync costs little. */
interface InstanceMemory {
  readonly objects: ObjectMemory;
  readonly namespaces: NamespaceMemory;
  readonly deployers: DeployerMemory;
  readonly leases: LeaseMemory;
}

/** Timers hold no longer times than 24 days. */
const LONGEST_MS = 86_400_000;
/** How long a new revision may take to become healthy. */
const HEALTH_MS = 5 * 60_000;
/** How long a change by helm takes at the longest. */
const CHANGE_MS = 15 * 60_000;
/** How soon to look again at what is not healthy yet: first, and at the slowest. */
const POLL = { first: 1_000, slowest: 15_000 };

/**
 * Makes the function that brings an instance one act nearer to its spec.
 *
 * @param kindOf the generated kind by its plural. Keys are `<plural>/<namespace>/<name>`.
 */
export function createInstanceReconciler(given: InstancePorts, kindOf: (plural: string) => GeneratedKind | undefined): Reconcile {
  const ports = { ...given, kubernetesVersion: memoizeVersion(given) };
  const memory: InstanceMemory = { objects: new Map(), namespaces: new Map(), deployers: new Map(), leases: createLeaseMemory() };
  return async (key, signal) => {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    const kind = kindOf(plural);
    if (kind === undefined) return {};
    const instance = await ifFound(ports.cluster.get({ ...kind, namespace, name }, { signal }));
    if (instance === undefined) {
      ports.references.remember(key, []);
      return {};
    }
    return await reconcileInstance(memory, workOn(ports, { kind, instance }, signal));
  };
}

async function reconcileInstance(memory: InstanceMemory, given: Work): Promise<ReconcileResult> {
  const placed = await withNamespace(given);
  if (placed.instance.metadata.deletionTimestamp !== undefined) {
    forgetDeployer(memory.deployers, placed);
    return await finalizeInstance(placed);
  }
  if (placed.expiry?.phase === 'Due') return await expire(placed);
  const work = await reportExpiry(placed);
  const left = untilNextPhase(work);
  const facts = await observe(memory, work);
  const state = determineActiveState(facts);
  if (state.kind === 'FinalizerMissing') return await reconcileInstance(memory, await withFinalizer(work));
  const { requeueAfter } = await actUnlessChanged(memory, work, { facts, state });
  return requeueAfter === undefined && left === Infinity ? {} : { requeueAfter: Math.min(requeueAfter ?? Infinity, left, LONGEST_MS) };
}

async function withNamespace(work: Work): Promise<Work> {
  const dedicated = await findDedicatedNamespace(work);
  return dedicated === undefined ? work : { ...work, dedicated };
}

interface Facts extends ActiveFacts {
  readonly objects?: ObservedObjects;
}

/** Looks at as much as the next act needs, the cheapest first. */
async function observe(memory: InstanceMemory, work: Work): Promise<Facts> {
  const { dedicated } = work;
  // Members who are removed from the Environment lose their permissions at once, whatever the instance waits for.
  const fault =
    dedicated?.kind === 'Ours'
      ? await keepNamespace(memory.namespaces, work, dedicated.namespace)
      : await keepDeployer(memory.deployers, work);
  const isElsewhere = dedicated !== undefined && dedicated.kind !== 'Ours';
  const release: ReleaseFact = isElsewhere ? { kind: 'Absent' } : await observeOwnRelease(work);
  const facts = { ...factsOf(work, release), ...(dedicated === undefined ? {} : { dedicated }) };
  if (isElsewhere) return facts;
  if (fault !== undefined) return { ...facts, target: { error: fault } };
  if (facts.suspended || facts.noEnvironment !== undefined || !facts.hasFinalizer) return facts;
  const record = release.kind === 'Own' ? await observeRecord(memory.objects, work, release) : undefined;
  if (record !== undefined) return { ...facts, recordFault: record };
  const fact = release.kind === 'Own' ? await observeSleep(memory.objects, work, release) : undefined;
  if (fact !== undefined && !facts.forced) return { ...facts, sleep: { wanted: isToSleep(work), fact } };
  if (facts.wait > 0) return facts;
  if (facts.limit !== undefined && release.kind !== 'Own') return facts;
  const target = await resolveTarget(work);
  if (release.kind !== 'Own' || release.status !== 'deployed') return { ...facts, target };
  const objects = await observeObjects(memory.objects, work, release);
  return { ...facts, target, health: objects.health, objects };
}

async function observeOwnRelease({ ports, release, status: { managedRevision }, label, signal }: Work): Promise<ReleaseFact> {
  const watched = { records: ports.watched.recordsOf(release), managedRevision };
  return await observeRelease(ports.cluster, release, { label, key: OURS.appInstanceLabel, watched, signal });
}

/** What is known without asking anybody else. */
function factsOf(work: Work, release: ReleaseFact): ActiveFacts {
  const { ports, instance, spec, status, generation, requestedAt, references, namespace } = work;
  const { rollback, managedRevision, history } = status;
  const noEnvironment = environmentFault(ports.environments.all(), namespace);
  const limit = limitOf(work);
  const [newest] = release.kind === 'Own' ? release.records : [];
  const records = release.kind === 'Own' ? release.records : [];
  const recovery = lastHealthyRevision(history, records);
  const age = ports.now().getTime() - Math.max(Date.parse(newest?.time ?? ''), wokenAt(work));
  const applied = history.find(({ revision }) => revision === managedRevision);
  const stands = rollback?.generation === generation && rollback.requestedAt === requestedAt;
  return {
    hasFinalizer: hasFinalizer(instance),
    suspended: spec.suspend,
    expired: work.expiry?.phase === 'Expired',
    ...(noEnvironment === undefined ? {} : { noEnvironment }),
    ...(limit === undefined ? {} : { limit }),
    wait:
      isDeployed(work, release) || hasOtherChart(work)
        ? 0
        : waitBeforeAttempt({ status, generation, requestedAt, references, interval: INTERVAL_MS, now: ports.now() }),
    forced: work.forcedAt !== '',
    testAsked: work.testAt !== '',
    adopt: instance.metadata.annotations?.[ADOPT] === 'true',
    release,
    ...(managedRevision === undefined ? {} : { managedRevision }),
    ...(applied === undefined ? {} : { appliedDigest: applied.digest }),
    ...(stands ? { rollback } : {}),
    ...(recovery === undefined ? {} : { recovery }),
    wasHealthy: history.some(({ revision, time, healthy }) => revision === newest?.revision && time === newest.time && healthy === true),
    overdue: age > HEALTH_MS,
    recent: age < CHANGE_MS,
  };
}

/** What was attempted last has come about, so failures before it are no reason to wait. */
function isDeployed({ status: { lastAttempted, managedRevision } }: Work, release: ReleaseFact): boolean {
  if (release.kind !== 'Own' || release.status !== 'deployed' || lastAttempted?.digest === undefined) return false;
  return release.configDigest === lastAttempted.digest && release.revision === managedRevision;
}

/** The definition offers another chart than the one that failed, or one where there was none, or the roll-out of that one is over. */
function hasOtherChart(work: Work): boolean {
  const { lastAttempted } = work.status;
  const wanted = lastAttempted === undefined ? undefined : wantedChart(work);
  return wanted !== undefined && wanted !== lastAttempted?.chartDigest;
}

interface Seen {
  readonly facts: Facts;
  readonly state: Exclude<ActiveState, { kind: 'FinalizerMissing' }>;
}

/** No act goes on with a changed release record. */
async function actUnlessChanged(memory: InstanceMemory, work: Work, seen: Seen): Promise<ReconcileResult> {
  try {
    return await act(memory, work, seen);
  } catch (error) {
    work.signal.throwIfAborted();
    if (!isAppError(error, 'ReleaseRecordChanged')) throw error;
    return await reportChangedRecord(work, seen.facts.release, error);
  }
}

/** One action for each state. */
async function act(memory: InstanceMemory, work: Work, { facts, state }: Seen): Promise<ReconcileResult> {
  switch (state.kind) {
    case 'NamespaceMissing':
      return await createNamespace(work, facts);
    case 'Locked':
      return await unlock(work, facts);
    case 'Absent':
    case 'OutOfSync':
      return await deploy(work, facts, state.target);
    case 'RollbackDue':
      return await rollBack(work, facts, state.failure);
    case 'TestDue':
      return await testRelease(work, state);
    case 'Suspended':
    case 'NoEnvironment':
    case 'BeyondLimit':
    case 'Expired':
    case 'NamespaceTerminating':
    case 'NamespaceTaken':
    case 'Foreign':
    case 'Blocked':
      return await reportNotReleasable(work, facts, state);
    case 'Waiting':
      return { requeueAfter: state.wait };
    case 'SleepDue':
    case 'Asleep':
      return await afterReport(memory, work, await reconcileSleep(work, state));
    case 'Unresolved':
      return { requeueAfter: await reportUnresolved(work, facts, state.error) };
    case 'RolledBack':
      return await afterReport(memory, work, await reportRolledBack(work, facts, state));
    case 'RecordChanged':
      return await reportChangedRecord(work, facts.release, state.error);
    case 'ChangedByHand':
    case 'InSync':
      return await afterReport(memory, work, await reportReleased(work, facts, state));
    default:
      return state satisfies never;
  }
}

/** The same work on the instance as it is with the finalizer. */
async function withFinalizer({ ports, kind, instance, signal }: Work): Promise<Work> {
  return workOn(ports, { kind, instance: await addFinalizer(ports.cluster, { type: kind, object: instance, signal }) }, signal);
}

async function createNamespace(work: Work, facts: Facts): Promise<ReconcileResult> {
  const fault = await reserveNamespace(work);
  return fault === undefined ? AT_ONCE : { requeueAfter: await reportUnresolved(work, facts, fault) };
}

type NotReleasable = Extract<
  ActiveState,
  { kind: 'Suspended' | 'NoEnvironment' | 'BeyondLimit' | 'Expired' | 'NamespaceTerminating' | 'NamespaceTaken' | 'Foreign' | 'Blocked' }
>;

/** Says why nothing is released. */
async function reportNotReleasable(work: Work, facts: Facts, state: NotReleasable): Promise<ReconcileResult> {
  switch (state.kind) {
    case 'Suspended':
      await report(work, facts, stalled(isFalse('Ready', state.kind, 'spec.suspend is set: the release stays as it is')));
      return {};
    case 'NoEnvironment':
      await report(work, facts, stalled(isFalse('Ready', state.kind, state.error.message)));
      return { requeueAfter: INTERVAL_MS };
    case 'BeyondLimit':
      await report(work, facts, stalled(isFalse('Ready', 'LimitExceeded', state.error.message)));
      return { requeueAfter: INTERVAL_MS };
    case 'Expired':
      await report(work, facts, stalled(isFalse('Ready', state.kind, 'The instance expired before it was released')));
      return {};
    case 'NamespaceTaken':
      await report(work, facts, stalled(isFalse('Ready', state.kind, state.message)));
      return { requeueAfter: INTERVAL_MS };
    case 'Blocked':
      return await reportBlocked(work, facts, state.dependency);
    case 'Foreign':
      return { requeueAfter: facts.wait > 0 ? facts.wait : await reportForeign(work, state.release, facts.release) };
    case 'NamespaceTerminating':
      await report(work, facts, reconciling(isFalse('Ready', state.kind, state.message)));
      return { requeueAfter: BUSY_MS };
    default:
      return state satisfies never;
  }
}

async function report(work: Work, { release }: Facts, phase: ConditionInput): Promise<void> {
  await writeStatus(work, { ready: notReady(phase), phase, conditions: [], release });
}

async function reportUnresolved(work: Work, { release }: Facts, error: AppError): Promise<number> {
  return await reportFailure(work, { error, condition: isFalse('Released', error.code, error.message), release });
}

/** What it waits for is watched. A cycle ends when somebody changes one of its members. */
async function reportBlocked(work: Work, { release }: Facts, { reason, message }: Dependency): Promise<ReconcileResult> {
  const condition = isFalse('Released', reason, message);
  const phase = reason === 'DependencyCycle' ? stalled(condition) : reconciling(condition);
  await writeStatus(work, { ready: notReady(condition), phase, conditions: [condition], release, failures: 0 });
  return { requeueAfter: INTERVAL_MS };
}

/** Says what failed, what runs now, and what to do. It stays so until the spec, the chart or a value changes, or somebody asks. */
async function reportRolledBack(
  work: Work,
  { release, health, objects }: Facts,
  state: Extract<ActiveState, { kind: 'RolledBack' }>,
): Promise<ReconcileResult> {
  const { chart, revision, toRevision, message } = state.rollback;
  const failed = `Chart ${chart} failed in revision ${revision}: ${message}`;
  const advice = `Correct the values or the version, or try the same again: ${annotateCommand(work, `${OURS.reconcileAt}="$(date)"`)}`;
  const condition =
    state.outcome === 'Deployed'
      ? isFalse('Released', 'RolledBack', `${failed}. Revision ${toRevision} runs again. ${advice}`)
      : isFalse('Released', 'RollbackFailed', `${failed}. The rollback to revision ${toRevision} failed, too. ${advice}`);
  const conditions = [condition, ...(health === undefined ? [] : [healthy(health)])];
  const isWell = state.outcome === 'Deployed' && (health?.status === 'Healthy' || health?.lacks !== undefined);
  await writeStatus(work, {
    ready: notReady(condition),
    phase: stalled(condition),
    conditions,
    release,
    ...(objects === undefined ? {} : { scale: objects.scale }),
    ...(isWell ? { results: { healthy: true } } : {}),
    failures: 0,
  });
  return { requeueAfter: INTERVAL_MS };
}

function healthy({ status, message }: ObservedObjects['health']): ReturnType<typeof isTrue> {
  const isWell = status === 'Healthy' || status === 'Suspended';
  return isWell ? isTrue('Healthy', status, message) : isFalse('Healthy', status, message);
}

/** Writes the conditions of a release that is as desired, or that somebody has changed: the health of its objects, and drift. */
async function reportReleased(
  work: Work,
  { release, objects }: Facts,
  state: Extract<ActiveState, { kind: 'InSync' | 'ChangedByHand' }>,
): Promise<ReconcileResult> {
  if (release.kind !== 'Own' || objects === undefined) return AT_ONCE;
  const health = healthy(objects.health);
  const ready = health.status === 'True' ? isInstalled(state.target) : notReady(health);
  // A revision that only waits for an address works, so that neither a rollback nor a roll-out is about it.
  const isWell = health.status === 'True' || objects.health.lacks !== undefined;
  const isProgressing = health.status === 'False' && objects.health.status !== 'Degraded';
  const digests = state.kind === 'InSync' ? await firstDigests(work, state.target, release) : undefined;
  await writeStatus(work, {
    ready,
    ...(digests === undefined ? {} : { recordDigests: digests }),
    ...(isProgressing ? { phase: reconciling(ready) } : {}),
    conditions: [released(work.release, release.revision), health, drifted(work, { state, objects, revision: release.revision })],
    release,
    scale: objects.scale,
    ...(state.kind === 'InSync' ? { target: state.target, notes: notesOf(objects.notes, state.target) } : {}),
    ...(isWell && state.kind === 'InSync' ? { results: { healthy: true } } : {}),
    failures: 0,
  });
  return { requeueAfter: health.status === 'True' ? Math.min(INTERVAL_MS, objects.nextComparison) : pollDelay(work) };
}

/** What a chart writes into its notes can be a value of a Secret. */
function notesOf(notes: string, { values }: Target): string {
  return redact(notes, values.secrets).slice(0, MAX_NOTES);
}

interface DriftInput {
  readonly state: Extract<ActiveState, { kind: 'InSync' | 'ChangedByHand' }>;
  readonly objects: ObservedObjects;
  readonly revision: number;
}

function drifted(work: Work, { state, objects, revision }: DriftInput): ReturnType<typeof isTrue> {
  if (state.kind === 'ChangedByHand') {
    const force = annotateCommand(work, `${FORCE_AT}="$(date)"`);
    const made = `Another client made revision ${revision}; the newest of Chandlery is ${work.status.managedRevision ?? 0}`;
    return isTrue('Drifted', 'ReleaseChanged', `${made}. To release the spec again: ${force}`);
  }
  const { drift } = objects;
  if (drift.drifted.length > 0) return isTrue('Drifted', 'ObjectsChanged', differencesSentence(drift));
  if (drift.uncompared.length > 0)
    return { type: 'Drifted', status: 'Unknown', reason: 'NotCompared', message: drift.uncompared.join('; ') };
  return isFalse('Drifted', 'InSync', 'The objects are as the release has them');
}

/** One second at first, fifteen when it takes long. */
function pollDelay({ ports, status }: Work): number {
  const since = Date.parse(findCondition(status.conditions, 'Ready')?.lastTransitionTime ?? '');
  const elapsed = Number.isNaN(since) ? 0 : ports.now().getTime() - since;
  return Math.min(POLL.slowest, POLL.first + Math.max(0, elapsed) / 10);
}

/** Nothing is to be changed; what a worker that died left behind is cleared away when its time is over. */
async function afterReport({ leases }: InstanceMemory, work: Work, { requeueAfter }: ReconcileResult): Promise<ReconcileResult> {
  if ((await clearLeaseOf(leases, leasedBy(work))) === 'Held') return { requeueAfter: Math.min(requeueAfter ?? BUSY_MS, 5_000) };
  return requeueAfter === undefined ? {} : { requeueAfter };
}
