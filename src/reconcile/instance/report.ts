import { backoffDelay } from '../../domain/core/backoff.ts';
import type { AppError } from '../../domain/core/errors.ts';
import type { Attempt, Rollback } from '../../domain/operator/kind/status-fields.ts';
import { EXPIRED } from '../../domain/app-instance/expiry.ts';
import type { InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { type Condition, type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { WorkloadScale } from '../../domain/app-instance/scale.ts';
import { listInShort } from '../../domain/core/name-words.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { RevisionResults } from '../../domain/operator/revision-history.ts';
import { applyStatus } from '../apply-status.ts';
import { isTrue, notReady, reconciling, stalled } from '../conditions.ts';
import { isTerminal } from '../helm-release/failure.ts';
import type { ReleaseFact } from '../helm-release/observe-release.ts';
import { chartStatus, releaseHistory, releaseStatus } from '../helm-release/release-status.ts';
import { RETRY_BACKOFF } from '../helm-release/retry.ts';
import { offeredVersions, type Target, wantedChart } from './resolve-target.ts';
import { nowOf, type Work } from './work.ts';

/** Revisions that Helm and the status keep. */
export const HISTORY_LIMIT = 10;
/** How often what trying again does not change is tried again all the same. */
export const INTERVAL_MS = 10 * 60_000;

/** The result of an action. Members that it leaves out keep their value in the status. */
export interface Finding {
  readonly ready: ConditionInput;
  /** `Reconciling` or `Stalled`, while one of them is true. */
  readonly phase?: ConditionInput;
  /** Whether what somebody asked for is still being done; by default it has ended. */
  readonly request?: 'Underway';
  readonly conditions: readonly ConditionInput[];
  readonly release: ReleaseFact;
  readonly target?: Target;
  /** The newest revision that Chandlery makes, from now on. */
  readonly managedRevision?: number;
  readonly results?: RevisionResults;
  /** A rollback that is about to begin; `Forgotten` when something else is installed. */
  readonly rollback?: Rollback | 'Forgotten';
  readonly notes?: string;
  readonly test?: NonNullable<InstanceStatus['lastTest']>;
  readonly attempt?: Attempt;
  readonly failures?: number;
  readonly scale?: WorkloadScale;
  readonly recordDigests?: InstanceStatus['recordDigests'];
}

/** Conditions that stand until something else is known. */
const PERMANENT = new Set(['Released', 'Healthy', 'Drifted', 'Tested', 'Asleep', EXPIRED]);
/** Conditions whose turns are worth an Event. */
const WITH_EVENTS = ['Released', 'Ready', 'Drifted', 'Tested', 'Asleep'];
/** Reasons of `Released` of which the outcome tells soon. */
const BEGUN = new Set(['Installing', 'Upgrading']);
/** Reasons of `Ready` that no other condition has. */
const BLOCKED = new Set(['NoEnvironment', 'NamespaceTaken']);
const UNDER_WAY = new Set([
  'Installing',
  'Upgrading',
  'RollingBack',
  'Progressing',
  'Unknown',
  'Missing',
  'Uninstalling',
  'DependencyNotReady',
  'ScalingDown',
  'Waking',
  'Awake',
  'Reinstalling',
]);

/**
 * Writes the status of an instance when it differs from the one it was read with, and tells of conditions that changed.
 *
 * @returns the work with that status, for what is found out next.
 */
export async function writeStatus(work: Work, finding: Finding): Promise<Work> {
  const { ports, kind, instance, signal } = work;
  const status = composeStatus(work, finding);
  const written = { ...work, status, instance: { ...instance, status } };
  if ((await applyStatus(ports.cluster, kind, { object: instance, status, signal })) === 'Unchanged') return written;
  for (const condition of status.conditions.filter(({ type }) => WITH_EVENTS.includes(type))) {
    const before = findCondition(work.status.conditions, condition.type);
    if ((before?.status === condition.status && before.reason === condition.reason) || BEGUN.has(condition.reason)) continue;
    if (condition.type === 'Ready' && condition.status === 'False' && !BLOCKED.has(condition.reason)) continue;
    if (condition.type === 'Drifted' && condition.status === 'False' && before === undefined) continue;
    const isBad =
      condition.type === 'Drifted' ? condition.status === 'True' : condition.status === 'False' && !UNDER_WAY.has(condition.reason);
    await ports.events.record(instance, { type: isBad ? 'Warning' : 'Normal', reason: condition.reason, message: condition.message });
  }
  return written;
}

/** Writes down the digests of release records and leaves the rest of the status as it is. */
export async function writeDigests(work: Work, recordDigests: InstanceStatus['recordDigests']): Promise<Work> {
  const { ports, kind, instance, signal } = work;
  const status = { ...work.status, recordDigests };
  await applyStatus(ports.cluster, kind, { object: instance, status, signal });
  return { ...work, status, instance: { ...instance, status } };
}

interface Failure {
  readonly error: AppError;
  /** The condition that says what went wrong. */
  readonly condition: ConditionInput;
  readonly release: ReleaseFact;
  readonly target?: Target;
  /** Whether the same attempt would end the same way; by default the kind of error says so. */
  readonly outlook?: 'Terminal';
}

/**
 * Writes down that an attempt failed and how often in a row.
 *
 * @returns milliseconds until the next attempt.
 */
export async function reportFailure(work: Work, { error, condition, release, target, outlook }: Failure): Promise<number> {
  const failures = work.status.failures + 1;
  const terminal = outlook === 'Terminal' || isTerminal(error.code);
  const delay = terminal ? INTERVAL_MS : backoffDelay(failures, RETRY_BACKOFF, 0);
  await writeStatus(work, {
    ready: notReady(condition),
    phase: terminal ? stalled(condition) : reconciling(condition),
    conditions: [condition],
    release,
    attempt: attemptOf(work, target),
    failures,
  });
  const keys = { instance: `${work.namespace}/${work.instance.metadata.name}`, kind: work.kind.kind, reason: condition.reason, failures };
  work.ports.log.warn('An instance is not ready', { ...keys, retryInSeconds: Math.round(delay / 1000), why: error.message });
  return delay;
}

/** What an attempt is made of, of which the chart is known before the target is; a forced upgrade has come as far as it could. */
export function attemptOf(work: Work, target?: Target): Attempt {
  const { generation, requestedAt, forcedAt, references, status } = work;
  const forced = forcedAt === '' ? status.lastAttempted?.forcedAt : forcedAt;
  const chartDigest = target?.chart.digest ?? wantedChart(work);
  return {
    ...(target === undefined ? {} : { digest: target.configDigest }),
    ...(chartDigest === undefined ? {} : { chartDigest }),
    generation,
    requestedAt,
    ...(forced === undefined ? {} : { forcedAt: forced }),
    ...(references === undefined ? {} : { references }),
    time: nowOf(work),
  };
}

function composeStatus(work: Work, finding: Finding): InstanceStatus {
  const { status: earlier, generation } = work;
  const { target, failures = earlier.failures } = finding;
  const rollback = finding.rollback === 'Forgotten' ? undefined : (finding.rollback ?? earlier.rollback);
  const made = target === undefined ? earlier : madeOf(target);
  const { version, availableVersion, revision, chart, values } = made;
  const managed = finding.managedRevision ?? earlier.managedRevision;
  const notes = finding.notes ?? earlier.notes;
  const attempt = finding.attempt ?? earlier.lastAttempted;
  return {
    observedGeneration: generation,
    ...reconcileHandled(work, finding),
    ...(version === undefined ? {} : { version }),
    ...(availableVersion === undefined ? {} : { availableVersion }),
    ...(revision === undefined ? {} : { revision }),
    ...(chart === undefined ? {} : { chart }),
    versions: offeredVersions(work),
    values,
    ...releaseStatus(work.release, finding.release),
    ...reservedNamespace(work),
    ...(managed === undefined ? {} : { managedRevision: managed }),
    history: releaseHistory({
      status: earlier,
      release: finding.release,
      installing: target,
      results: finding.results,
      rollback: rollback ?? earlier.rollback,
      limit: HISTORY_LIMIT,
    }),
    ...recordStatus(work, finding),
    ...(rollback === undefined ? {} : { rollback }),
    ...testOf(work, finding),
    ...(notes === undefined || notes === '' ? {} : { notes }),
    ...(attempt === undefined ? {} : { lastAttempted: attempt }),
    failures,
    ...replicasAndExpiry(work, finding),
    conditions: composeConditions(work, finding),
  };
}

function testOf({ status }: Work, { test = status.lastTest }: Finding): Pick<InstanceStatus, 'lastTest'> {
  return test === undefined ? {} : { lastTest: test };
}

function reconcileHandled(work: Work, { request }: Finding): Pick<InstanceStatus, 'lastHandledReconcileAt'> {
  const handled = request === 'Underway' ? work.status.lastHandledReconcileAt : requestedAt(work);
  return handled === undefined ? {} : { lastHandledReconcileAt: handled };
}

function requestedAt({ instance, status }: Work): string | undefined {
  return instance.metadata.annotations?.[OURS.reconcileAt] ?? status.lastHandledReconcileAt;
}

/** A reinstallation that was requested while no record was changed is not done later, when one is. */
function recordStatus(
  { status, reinstallAt }: Work,
  { request, recordDigests = status.recordDigests }: Finding,
): Pick<InstanceStatus, 'recordDigests' | 'lastReinstallAt'> {
  const handled = request === 'Underway' || reinstallAt === '' ? status.lastReinstallAt : reinstallAt;
  return { recordDigests, ...(handled === undefined ? {} : { lastReinstallAt: handled }) };
}

function madeOf(target: Target): Pick<InstanceStatus, 'version' | 'availableVersion' | 'revision' | 'chart' | 'values'> {
  const { availableVersion, revision, values } = target;
  const chart = chartStatus(target.chart);
  const available = availableVersion === undefined ? {} : { availableVersion };
  return { version: chart.version, ...available, revision, chart, values: values.provenance };
}

/** What is known beside the release: what the subresource scale of the kind reads, where its definition gives it one, and the end of the instance. */
function replicasAndExpiry(work: Work, finding: Finding): Pick<InstanceStatus, 'replicas' | 'selector' | 'expiry'> {
  const { expiry } = work.status;
  return { ...scaleStatus(work, finding), ...(expiry === undefined ? {} : { expiry }) };
}

function scaleStatus(
  { ports, kind, status: { replicas, selector } }: Work,
  { scale }: Finding,
): Pick<InstanceStatus, 'replicas' | 'selector'> {
  const definition = ports.definitions.get(kind.definition);
  if (definition === undefined || specOf(APP_DEFINITION_KIND, definition).scale === undefined) return {};
  if (scale !== undefined) return scale;
  return { ...(replicas === undefined ? {} : { replicas }), ...(selector === undefined ? {} : { selector }) };
}

/** Once the namespace is reserved, the instance has it whatever mode its definition has. */
function reservedNamespace({ dedicated, release, status }: Work): Pick<InstanceStatus, 'namespace'> {
  if (dedicated?.kind === 'Ours') return { namespace: release.namespace };
  return status.namespace === undefined ? {} : { namespace: status.namespace };
}

function composeConditions({ status, generation, ...work }: Work, { conditions, ready, phase, managedRevision }: Finding): Condition[] {
  const decided = [...conditions, ready, ...(phase === undefined ? [] : [phase])];
  const known = new Set(decided.map(({ type }) => type));
  // What was tested is not what is about to be released.
  const isNew = managedRevision !== undefined && managedRevision !== status.managedRevision;
  const retained = status.conditions.filter(({ type }) => PERMANENT.has(type) && !known.has(type) && !(isNew && type === 'Tested'));
  const current = decided.map((condition) => ({ ...condition, observedGeneration: generation }));
  return mergeConditions(status.conditions, [...retained, ...current], nowOf(work));
}

/** `Ready` of a release that is deployed and healthy. */
export function isInstalled({ chart, ignored }: Pick<Target, 'chart' | 'ignored'>): ConditionInput {
  const { name, version } = chart.contents.metadata;
  const note = ignored.length === 0 ? '' : `; some values have no effect: ${listInShort(ignored, MAX_IGNORED)}`;
  return isTrue('Ready', 'Ready', `Chart ${name} ${version} is installed and healthy${note}`);
}

/** Values that have no effect, in a message. */
const MAX_IGNORED = 5;
