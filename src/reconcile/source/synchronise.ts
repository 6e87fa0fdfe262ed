import { compareTexts } from '../../domain/core/compare-texts.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../domain/core/in-parallel.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { formerNameOf } from '../../domain/kubernetes/moved-from.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { applyStages, providedBy } from '../../domain/source/apply-order.ts';
import type { InventoryItem, PendingRemoval, SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, idOfItem, nameOfItem, sortFaults } from '../../domain/source/check-documents.ts';
import { decideRemovals, type Removal, stillPending } from '../../domain/source/decide-removals.ts';
import type { Stock } from '../../domain/source/stock.ts';
import { type AppliedDocument, applyDocument } from './apply-document.ts';
import { checkHealth, checkOperators, type Unhealthy } from './check-health.ts';
import { assessDeletions, carryOut, type Deletion, type DeletionDecision, type DeletionOptions } from './deletions.ts';
import { sortOut } from './inventory.ts';
import { findMoves, type Moves } from './moves.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';

export interface SynchroniseInput {
  readonly source: string;
  /** All CatalogSources. */
  readonly sources: readonly KubeObject[];
  /** A revision of a repository is applied as a whole or not at all; of a folder, what has no fault. */
  readonly unit: 'Revision' | 'Document';
  /** The labels of all that it applies. */
  readonly labels: Readonly<Record<string, string>>;
  readonly discovery: SourcePorts['discovery'];
  /** The ids of resources that other sources have a document of, too. */
  readonly claims: () => Promise<ReadonlySet<string>>;
  readonly stock: Stock;
  /** The ids of documents that are live as they are, and so need not be applied. */
  readonly unchanged: ReadonlySet<string>;
  readonly inventory: readonly InventoryItem[];
  /** What was wrong the last time. */
  readonly knownFaults: readonly SourceFault[];
  readonly prune: boolean;
  /** Whether to delete nothing before everything is healthy. */
  readonly wait: boolean;
  /** Milliseconds between the loss of a document and the deletion of its resource. */
  readonly pruneDelay: number;
  /** The revision whose removals a person has approved. */
  readonly approvedPrune?: string;
  /** What was pending removal the last time. */
  readonly pending: readonly PendingRemoval[];
  readonly contentsOf: DeletionOptions['contentsOf'];
  /** Milliseconds since 1970. What this source changed in or after that second, it changed now. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Writes down what the source may own from now on, before anything is applied. */
  readonly remember: (inventory: readonly InventoryItem[]) => Promise<void>;
}

export interface Synchronised {
  readonly inventory: readonly InventoryItem[];
  readonly faults: readonly SourceFault[];
  /** The documents that are live. */
  readonly applied: readonly Candidate[];
  /** The resources that the cluster did not have like this. */
  readonly changed: readonly string[];
  readonly pruned: readonly string[];
  /** What another source has now. */
  readonly handedOver: readonly string[];
  /** Resources without a document that are not deleted yet. */
  readonly pending: readonly PendingRemoval[];
  /** Why nothing was deleted yet. */
  readonly unhealthy: readonly Unhealthy[];
}

/** Dry run → inventory (old ∪ new) → apply → health → prune → exact inventory. A document with a fault keeps its last good version. */
export async function synchronise(cluster: SourceCluster, wanted: SynchroniseInput): Promise<Synchronised> {
  const { stock, successors } = await findMoves(cluster, wanted);
  const input = { ...wanted, stock };
  const { inventory, unchanged } = input;
  const faults: SourceFault[] = [...stock.faults];
  const tried = await tryDocuments(cluster, input, faults);
  if (input.unit === 'Revision' && faults.length > 0) return nothingDone(input, faults);
  const owned = uidsOf(input);
  // A resource that the apply creates has another uid than its dry run. One that is there keeps its own, so that a source in sync writes nothing.
  const uidOf = ({ id }: Candidate): string | undefined => {
    const uid = owned.get(id);
    return unchanged.has(id) || uid === tried.get(id)?.uid ? uid : undefined;
  };
  const valid = stock.candidates.filter(({ id }) => unchanged.has(id) || tried.has(id));
  const before = valid.map((candidate) => itemOf(candidate, uidOf(candidate)));
  await input.remember(union(inventory, before));

  const live = await applyDocuments(cluster, input, { tried, faults });
  const applied = valid.filter(({ id }) => unchanged.has(id) || live.has(id));
  const unhealthy = faults.length === 0 ? await findUnhealthy(cluster, input, { applied, faults, successors }) : [];
  const items = applied.map((candidate) => itemOf(candidate, live.get(candidate.id)?.uid ?? owned.get(candidate.id)));
  const isChanged = ({ id }: Candidate): boolean => {
    const { uid, changedAt = 0 } = live.get(id) ?? {};
    return uid !== undefined && (uid !== owned.get(id) || changedAt >= input.startedAt - (input.startedAt % 1_000));
  };
  const changed = applied.filter(isChanged).map(({ resource }) => resource);
  const done = { applied, changed, unhealthy };
  // Of a revision that is live in part, what it no longer has may still be needed.
  if (unhealthy.length > 0 || (input.unit === 'Revision' && faults.length > 0))
    return { ...nothingDone({ ...input, inventory: union(inventory, items) }, faults), ...done };
  const pruned = await prune(cluster, input, { applied, faults, successors, owned: union(inventory, items).length });
  return { ...pruned, ...done, inventory: union(pruned.kept, items), faults: sortFaults(faults) };
}

function nothingDone({ inventory, pending }: SynchroniseInput, faults: readonly SourceFault[]): Synchronised {
  const nothing = { applied: [], changed: [], pruned: [], handedOver: [], unhealthy: [] };
  return { ...nothing, inventory, faults: sortFaults(faults), pending: stillPending(pending, inventory) };
}

function uidsOf({ inventory }: SynchroniseInput): ReadonlyMap<string, string | undefined> {
  return new Map(inventory.map((item) => [idOfItem(item), item.uid]));
}

/** Calls under way at once: as many as the api-server answers without making others wait. */
const AT_ONCE = 8;

/**
 * A document of a folder that is new to the source is not tried, unless it had a fault the last time: nothing depends on whether the api-server rejects it now
 * or when it is applied.
 *
 * @returns the documents that the api-server would accept, or that wait for others of the same revision; `faults` gets what is wrong with the others.
 */
async function tryDocuments(
  cluster: SourceCluster,
  input: SynchroniseInput,
  faults: SourceFault[],
): Promise<ReadonlyMap<string, AppliedDocument>> {
  const { stock, unchanged } = input;
  const isProvided = isToCome(stock.candidates);
  const owned = uidsOf(input);
  const faulty = new Set(input.knownFaults.map(({ resource }) => resource));
  const isNew = ({ id, resource }: Candidate): boolean => input.unit === 'Document' && !owned.has(id) && !faulty.has(resource);
  const wanted = stock.candidates.filter(({ id }) => !unchanged.has(id));
  const tried = new Map<string, AppliedDocument>(wanted.filter(isNew).map(({ id }) => [id, { faults: [] }]));
  await inParallel(
    wanted.filter((one) => !isNew(one)),
    AT_ONCE,
    async (candidate) => {
      const found = await applyDocument(cluster, { ...input, candidate, mode: 'DryRun' });
      if (found.faults.length === 0 || isProvided(candidate, found)) tried.set(candidate.id, found);
      else faults.push(...found.faults);
    },
  );
  return tried;
}

/** For what an applied CRD or Environment brings a moment later. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

/** Whether a document has what it needs in a moment: another document brings it, or it is its own resource, which is kept. */
function isToCome(candidates: readonly Candidate[]): (candidate: Candidate, found: AppliedDocument) => boolean {
  const isProvided = providedBy(candidates);
  return (candidate, { needs, state }) => state === 'Returning' || isProvided(candidate, needs);
}

interface Attempt {
  readonly tried: ReadonlyMap<string, AppliedDocument>;
  readonly faults: SourceFault[];
}

async function applyDocuments(
  cluster: SourceCluster,
  input: SynchroniseInput,
  { tried, faults }: Attempt,
): Promise<ReadonlyMap<string, AppliedDocument>> {
  const live = new Map<string, AppliedDocument>();
  const deadline = performance.now() + PATIENCE_MS;
  const isProvided = isToCome(input.stock.candidates);
  for (const stage of applyStages(input.stock.candidates.filter(({ id }) => tried.has(id)))) {
    await inParallel(stage, AT_ONCE, async (candidate) => {
      let found = await applyDocument(cluster, { ...input, candidate, mode: 'Apply' });
      while (isProvided(candidate, found) && performance.now() < deadline) {
        await sleep(PAUSE_MS, undefined, { signal: input.signal });
        found = await applyDocument(cluster, { ...input, candidate, mode: 'Apply' });
      }
      faults.push(...found.faults);
      if (found.faults.length === 0) live.set(candidate.id, found);
    });
  }
  return live;
}

/**
 * What has to be healthy first: the Operators, as long as documents wait for the CRDs of their kinds, and with `wait` all that was applied. Once the Operators
 * are ready, a document whose kind is still not served has a fault. A renamed resource is not waited for: it waits for the deletion of its former one.
 */
async function findUnhealthy(
  cluster: SourceCluster,
  { stock: { waiting }, wait, discovery, signal }: SynchroniseInput,
  { faults, successors, ...done }: Pick<Applied, 'applied' | 'faults' | 'successors'>,
): Promise<readonly Unhealthy[]> {
  const moving = new Set(successors.values());
  const applied = done.applied.filter(({ id }) => !moving.has(id));
  const isOperator = ({ type }: Candidate): boolean => type.kind === OPERATOR.kind && type.group === OPERATOR.group;
  const operators = waiting.length === 0 ? [] : await checkOperators(cluster, applied.filter(isOperator), signal);
  if (operators.length > 0) return operators;
  const unhealthy = wait ? await checkHealth(cluster, applied, signal) : [];
  if (unhealthy.length > 0) return unhealthy;
  const served: Unhealthy[] = [];
  for (const { object, resource, fault } of waiting) {
    const type = await discovery.find(object.apiVersion, object.kind, signal);
    if (type === undefined) faults.push({ ...fault, resource });
    else served.push({ resource, status: 'Missing', message: 'the CRD of its kind has just been installed' });
  }
  return faults.length > 0 ? [] : served;
}

interface Pruned extends Pick<Synchronised, 'pruned' | 'handedOver' | 'pending'> {
  readonly kept: readonly InventoryItem[];
}

interface Applied {
  readonly applied: readonly Candidate[];
  readonly faults: SourceFault[];
  /** How many resources the source owns. */
  readonly owned: number;
  readonly successors: Moves['successors'];
}

async function prune(cluster: SourceCluster, input: SynchroniseInput, { applied, faults, owned, successors }: Applied): Promise<Pruned> {
  const { stock, inventory, signal } = input;
  const hasLeft = inventory.some((item) => !stock.named.has(idOfItem(item)));
  const claims = hasLeft ? await input.claims() : new Set<string>();
  const live = new Set(applied.map(({ id }) => id));
  const sorted = sortOut(inventory, { stock, faults, applied, prune: input.prune, claims });
  // What cannot move stays, with all that it holds.
  const isStuck = (item: InventoryItem): boolean => {
    const successor = successors.get(idOfItem(item));
    return successor !== undefined && !live.has(successor);
  };
  const [gone, kept] = [sorted.gone.filter((item) => !isStuck(item)), [...sorted.kept, ...sorted.gone.filter(isStuck)]];
  const assessed = (await assessDeletions(cluster, gone, { ...input, claims })).map((deletion): Deletion & Pick<Removal, 'successor'> => {
    const successor = successors.get(idOfItem(deletion.item));
    return successor === undefined ? deletion : { ...deletion, successor };
  });
  const { due, pending } = decideRemovals(
    assessed.filter(({ fate }) => fate === 'Delete'),
    { revision: stock.revision, approved: input.approvedPrune, owned, now: input.startedAt, delay: input.pruneDelay },
  );
  const stays = [...kept, ...pending.map(({ item }) => item)];
  const ended = { Deleted: [] as string[], HandedOver: [] as string[], Left: [] as string[] };
  for (const deletion of assessed.filter((one) => one.fate !== 'Delete' || due.includes(one))) {
    const name = nameOfItem(deletion.item);
    try {
      const isDecided = deletion.successor !== undefined || input.approvedPrune === stock.revision;
      ended[await carryOut(cluster, deletion, { signal, source: input.source, decision: isDecided ? decisionOn(deletion) : 'None' })].push(
        name,
      );
    } catch (error) {
      if (!(error instanceof AppError) || !isAppError(error, 'Forbidden', 'AdmissionDenied')) throw error;
      faults.push({ file: deletion.item.file, line: 0, column: 0, resource: name, message: `it cannot be deleted: ${error.message}` });
      stays.push(deletion.item);
    }
  }
  return { kept: stays, pruned: ended.Deleted, handedOver: ended.HandedOver, pending: pending.map(({ removal }) => removal) };
}

/** A person has approved the deletion with all that goes with it; of what moves, nothing goes. */
function decisionOn({ successor }: Pick<Removal, 'successor'>): DeletionDecision {
  return successor === undefined ? 'Cascade' : 'Orphan';
}

/** Both lists, the second one's entry winning, sorted. */
function union(first: readonly InventoryItem[], second: readonly InventoryItem[]): InventoryItem[] {
  const byId = new Map([...first, ...second].map((item) => [idOfItem(item), item]));
  return [...byId.values()].sort((a, b) => compareTexts(a.file, b.file) || compareTexts(idOfItem(a), idOfItem(b)));
}

function itemOf({ document, object }: Candidate, uid?: string): InventoryItem {
  const { namespace, name } = object.metadata;
  const place = { ...(namespace === undefined ? {} : { namespace }), name };
  const former = formerNameOf(object);
  const more = { ...(uid === undefined ? {} : { uid }), ...(former === undefined ? {} : { movedFrom: former }) };
  return { file: document.file, apiVersion: object.apiVersion, kind: object.kind, ...place, ...more };
}
