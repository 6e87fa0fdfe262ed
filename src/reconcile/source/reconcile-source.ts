import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { finalizersRemaining, isIncomplete, keepCommand } from '../../domain/kubernetes/kept-object.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND, type SourceSpec, type SourceStatus, storedStatus } from '../../domain/source/catalog-source.ts';
import { sourceLabels } from '../../domain/source/check-documents.ts';
import { nextPollAt } from '../../domain/source/poll-schedule.ts';
import { changesOfRevision } from '../../domain/source/source-history.ts';
import type { Stock } from '../../domain/source/stock.ts';
import { addFinalizer, removeFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { untilNextRemoval, unapprovedRemovals } from '../../domain/source/decide-removals.ts';
import { contentsOf } from './contents.ts';
import { assessDeletions, carryOut } from './deletions.ts';
import { createSourceMemory, digestsOf, isAtRest, isCurrent, type Known, readClaims, unchangedOf } from './inventory.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';
import { keepDeleted } from '../keep/keep-deleted.ts';
import { allSources, readContent, readFolderOf } from './fetch-source.ts';
import { logChanges, reportSource, type SourceOutcome, type Work, writeSourceStatus } from './report-source.ts';
import { type AppliedFiles, keepRevision } from './keep-revision.ts';
import { reportRemovals } from './report-removals.ts';
import { determineSourceState, nextSourceAction, type SourceAction } from './state.ts';
import { removeUsedApprovals } from './used-approvals.ts';
import { synchronise, type Synchronised, type SynchroniseInput } from './synchronise.ts';

/** How soon to look again when something in the folder, or on the way to the cluster, was wrong. */
const RETRY_MS = 15_000;

/** Milliseconds after which to look again, whatever happens until then. */
export interface SourceResult {
  readonly requeueAfter?: number;
}

/** Brings one CatalogSource in step after the other. */
export interface SourceReconciler {
  /** By the name of a source. Enqueue it when the CatalogSource or its folder changes. Throws when the cluster is away; everything else ends in the status. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<SourceResult>;
  /** Has everything of a source applied again when it is reconciled next: somebody deleted or changed a resource of it. */
  readonly forget: (key: string) => void;
}

/** Makes the reconciler of CatalogSources. */
export function createSourceReconciler(ports: SourcePorts): SourceReconciler {
  const memory = createSourceMemory();
  const kept = new Map<string, string>();
  const reconcile = async (key: string, signal: AbortSignal): Promise<SourceResult> => {
    const rested = await pollAtRest(ports, memory.get(key), { key, signal });
    if (rested !== undefined) return rested;
    const keep = memory.begin(key);
    const source = await find(ports, key, signal);
    if (source === undefined || isIncomplete(source)) {
      memory.forget(key);
      kept.delete(key);
      return {};
    }
    const spec = specOf(CATALOG_SOURCE_KIND, source);
    const work = { ports, source, signal };
    const content = await readContent(work, spec);
    const state = determineSourceState(source, spec, content);
    try {
      const keptFiles = content.folder.kind === 'Read' ? content.folder.keptFiles : undefined;
      return await perform({ ...work, known: memory.get(key), keep, kept, keptFiles }, nextSourceAction(state));
    } catch (error) {
      // What was applied until then is not known.
      memory.forget(key);
      throw error;
    }
  };
  return { reconcile, forget: memory.forget };
}

/** Looks for another revision of a source that is in sync, without a call to the cluster. Undefined when there is something to do. */
async function pollAtRest(
  ports: SourcePorts,
  known: Known | undefined,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<SourceResult | undefined> {
  const source = ports.cached(key);
  if (source === undefined || known === undefined || !isAtRest(known, source)) return undefined;
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const now = ports.now().getTime();
  if (!isCurrent(known, source, { now, selfHealInterval: spec.selfHealInterval })) return undefined;
  const content = await readFolderOf({ ports, source, signal }, spec, known.revision);
  return content.kind === 'Unchanged' ? { requeueAfter: nextLook(source, { spec, appliedAt: known.appliedAt, now }) } : undefined;
}

interface LookInput {
  readonly spec: SourceSpec;
  /** When everything was applied last. */
  readonly appliedAt: number;
  readonly now: number;
}

/** A folder tells its changes, a repository is asked. */
function nextLook({ metadata }: KubeObject, { spec, appliedAt, now }: LookInput): number {
  const { folder, interval, selfHealInterval } = spec;
  const heal = Math.max(1_000, appliedAt + selfHealInterval - now);
  return folder !== undefined ? heal : Math.min(nextPollAt(metadata.name, { interval, now }) - now, heal);
}

async function find({ cluster }: SourcePorts, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...CATALOG_SOURCE, name }, { signal }));
}

interface Reconciling extends Work {
  readonly known: Known | undefined;
  readonly keep: (known: Known) => void;
  /** Of each source, by its name, the revision whose files are kept. */
  readonly kept: Map<string, string>;
  /** Absent for a repository or artifact. */
  readonly keptFiles: AppliedFiles['files'] | undefined;
}

async function perform(work: Reconciling, act: SourceAction): Promise<SourceResult> {
  const { ports, source, signal } = work;
  const { faults } = statusOf(CATALOG_SOURCE_KIND, source);
  switch (act.kind) {
    case 'add-finalizer':
      await addFinalizer(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
      return { requeueAfter: 0 };
    case 'finalize':
      if ((await removeFinalizerOfLostKind(ports.cluster, { type: CATALOG_SOURCE, object: source, signal })) === 'KindLost') return {};
      return await finalize(work);
    case 'rest':
      await reportSource(work, { outcome: { kind: 'Suspended' }, faults });
      return {};
    case 'wait':
      await reportSource(work, { outcome: { kind: 'Blocked', ...act.problem }, faults });
      return { requeueAfter: RETRY_MS };
    case 'reject': {
      const { reason, read } = act;
      const fault = { file: '', line: 0, column: 0, message: act.message };
      await reportSource(work, { outcome: { kind: 'Rejected', reason, fault }, faults: [fault], ...(read === undefined ? {} : { read }) });
      return { requeueAfter: RETRY_MS };
    }
    case 'synchronise':
      return await synchroniseFolder(work, act);
    default:
      return act satisfies never;
  }
}

async function synchroniseFolder(work: Reconciling, { stock }: Extract<SourceAction, { kind: 'synchronise' }>): Promise<SourceResult> {
  const { ports, source, known, signal } = work;
  const before = statusOf(CATALOG_SOURCE_KIND, source);
  const sources = await allSources(work);
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const startedAt = ports.now().getTime();
  const isAsked = source.metadata.annotations?.[OURS.reconcileAt] !== before.lastHandledReconcileAt;
  const isKnown = !isAsked && known !== undefined && isCurrent(known, source, { now: startedAt, selfHealInterval: spec.selfHealInterval });
  let current = source;
  // Until everything of it is live, and also if this process dies in the middle.
  const isNew = unitOf(spec) === 'Revision' && stock.revision !== before.lastAppliedRevision;
  const partial = isNew ? { partialRevision: stock.revision } : {};
  const done = await synchronise(objectsCluster(work, spec), {
    ...settingsOf(source, spec),
    sources,
    discovery: ports.discovery,
    claims: () => readClaims(ports, { source, revision: stock.revision, sources, signal }),
    stock,
    unchanged: isKnown ? unchangedOf(known, stock.candidates, before.inventory) : new Set(),
    inventory: before.inventory,
    pending: before.pendingRemovals,
    contentsOf: (type, live) => contentsOf(ports, { type, live, signal }),
    knownFaults: before.faults,
    startedAt,
    signal,
    remember: async (inventory) => {
      const status = { ...before, ...partial, inventory };
      await writeSourceStatus(ports, { source: current, status, signal });
      current = { ...source, status: storedStatus(status) };
    },
  });
  const appliedAt = isKnown ? known.appliedAt : startedAt;
  return await conclude({ ...work, source: current }, { before, done, stock, startedAt, appliedAt });
}

interface Attempted {
  readonly before: SourceStatus;
  readonly done: Synchronised;
  readonly stock: Stock;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly appliedAt: number;
}

/** Reports what came of an attempt, and says when to look again. */
async function conclude(work: Reconciling, { before, done, stock, startedAt, appliedAt }: Attempted): Promise<SourceResult> {
  const { ports, source } = work;
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const outcome = outcomeOf(source, { done, stock, now: startedAt });
  const { faults, inventory, pending } = done;
  const { lastAppliedRevision, inventory: owned } = before;
  const changed = { changed: done.changed, removed: done.pruned };
  const changes = changesOfRevision({ revision: stock.revision, lastAppliedRevision, inventory: owned, ...changed });
  await reportRemovals(work, { before, done });
  await reportSource(work, { outcome, read: stock, faults, inventory, pendingRemovals: pending, applied: done.applied.length, changes });
  await logChanges(work, { before, done, revision: stock.revision });
  await removeUsedApprovals(work, { before, done, revision: stock.revision });
  if (outcome.kind === 'Synced') await keepFiles(work, stock.revision);
  if (outcome.kind === 'Synced' || done.applied.length > 0) work.keep(knownOf(source, { appliedAt, done, outcome, stock }));
  if (outcome.kind === 'WaitingForHealth') return { requeueAfter: HEALTH_MS };
  const now = ports.now().getTime();
  const removal = untilNextRemoval(pending, { startedAt, now });
  return { requeueAfter: Math.min(removal, outcome.kind === 'Synced' ? nextLook(source, { spec, appliedAt, now }) : RETRY_MS) };
}

async function keepFiles({ kept, keptFiles: files, ...work }: Reconciling, revision: string): Promise<void> {
  const { name } = work.source.metadata;
  if (files === undefined || kept.get(name) === revision) return;
  if ((await keepRevision(work, { revision, files })) === 'Kept') kept.set(name, revision);
}

/** How soon to look again at what becomes healthy. */
const HEALTH_MS = 3_000;

interface Applied {
  readonly appliedAt: number;
  readonly done: Synchronised;
  readonly outcome: SourceOutcome;
  readonly stock: Stock;
}

function knownOf({ metadata }: KubeObject, { appliedAt, done, outcome, stock }: Applied): Known {
  const { uid = '', generation = 0 } = metadata;
  const digests = digestsOf(done.applied);
  const isAtRest = outcome.kind === 'Synced' && done.pending.length === 0;
  return { uid, generation, appliedAt, digests, ...(isAtRest ? { revision: stock.revision } : {}) };
}

/** What the spec and the annotations of a source say of how it is applied. */
function settingsOf(
  { metadata }: KubeObject,
  spec: SourceSpec,
): Pick<SynchroniseInput, 'source' | 'labels' | 'unit' | 'prune' | 'pruneDelay' | 'wait' | 'approvedPrune'> {
  const approvedPrune = metadata.annotations?.[OURS.approvedPrune];
  return {
    source: metadata.name,
    labels: sourceLabels(metadata.name, spec),
    unit: unitOf(spec),
    prune: spec.prune,
    pruneDelay: spec.pruneDelay,
    wait: spec.wait,
    ...(approvedPrune === undefined ? {} : { approvedPrune }),
  };
}

/** What is applied as a whole or not at all. */
function unitOf({ folder }: SourceSpec): SynchroniseInput['unit'] {
  return folder === undefined ? 'Revision' : 'Document';
}

/** With the permissions that count for what the source holds. */
function objectsCluster({ ports }: Pick<Work, 'ports'>, { serviceAccount }: SourceSpec): SourceCluster {
  return serviceAccount === undefined ? ports.cluster : ports.asServiceAccount(serviceAccount);
}

interface Ended {
  readonly done: Synchronised;
  readonly stock: Stock;
  readonly now: number;
}

function outcomeOf(source: KubeObject, { done, stock, now }: Ended): SourceOutcome {
  const { faults, pending, unhealthy } = done;
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const unit = unitOf(spec);
  if (faults.length > 0) return { kind: 'Invalid', faults, unit };
  const [first] = unhealthy;
  if (first !== undefined) {
    const isOver = now - waitingSince(source, { stock, now }) >= spec.timeout;
    const waiting = stock.waiting.map(({ resource }) => resource);
    return { kind: isOver ? 'HealthCheckFailed' : 'WaitingForHealth', first, others: unhealthy.length - 1, waiting };
  }
  const unapproved = unapprovedRemovals(pending);
  if (unapproved.length === 0) return { kind: 'Synced', resources: done.applied.length, files: stock.files, pending };
  return { kind: 'PruneNotApproved', source: source.metadata.name, revision: stock.revision, owned: done.inventory.length, unapproved };
}

/** Since when a revision has waited for health; from the beginning of time when it has waited long enough already. */
function waitingSince(source: KubeObject, { stock, now }: Pick<Ended, 'stock' | 'now'>): number {
  const { revision, conditions } = statusOf(CATALOG_SOURCE_KIND, source);
  if (revision !== stock.revision) return now;
  if (findCondition(conditions, 'Ready')?.reason === 'HealthCheckFailed') return 0;
  const waiting = findCondition(conditions, 'Reconciling');
  return waiting?.reason === 'WaitingForHealth' ? Date.parse(waiting.lastTransitionTime) : now;
}

/** Deletes what the source brought, unless it is not to prune, and lets it go. What another source has too is handed over. */
async function finalize(work: Work): Promise<SourceResult> {
  const { ports, source, signal } = work;
  const decision = await keepDeleted(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
  if (decision.kind === 'Keep') return {};
  if (decision.kind === 'Wait') return await waitForDeletion(work, decision);
  const { inventory } = statusOf(CATALOG_SOURCE_KIND, source);
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const { name } = source.metadata;
  const cluster = objectsCluster(work, spec);
  const options = {
    source: name,
    discovery: ports.discovery,
    claims: await readClaims(ports, { source, sources: await allSources(work), signal }),
    // The deletion of the source has been decided with all that it takes along.
    contentsOf: () => Promise.resolve(undefined),
    signal,
  };
  try {
    if (spec.prune)
      for (const deletion of await assessDeletions(cluster, inventory, options))
        await carryOut(cluster, deletion, { signal, source: name, decision: 'Cascade' });
  } catch (error) {
    if (!isAppError(error, 'Forbidden', 'AdmissionDenied')) throw error;
    const keep = `to keep the source: ${keepCommand(CATALOG_SOURCE, source)}`;
    const message = `what the source owns cannot be deleted: ${messageOf(error)}; give the permission, or set spec.prune to false; ${keep}`;
    return await waitForDeletion(work, { reason: 'DeletionDenied', message });
  }
  const wait = finalizersRemaining(CATALOG_SOURCE, source);
  if (wait !== undefined) return await waitForDeletion(work, wait);
  await removeFinalizer(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
  return {};
}

async function waitForDeletion(
  work: Work,
  {
    reason,
    message,
  }: { readonly reason: 'DeletionDenied' | 'FinalizersRemaining' | 'KeepPending' | 'KeepRejected'; readonly message: string },
): Promise<SourceResult> {
  const fault = { file: '', line: 0, column: 0, message };
  await reportSource(work, { outcome: { kind: 'Rejected', reason, fault }, faults: [fault] });
  return { requeueAfter: RETRY_MS };
}
