import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { conditionsOf, type ConditionInput, findCondition, PENDING_REMOVAL } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import type { InventoryItem, PendingRemoval, SourceStatus } from '../../domain/source/catalog-source.ts';
import { idOfItem, nameOfItem } from '../../domain/source/check-documents.ts';
import { PRUNED_KINDS, unapprovedRemovals } from '../../domain/source/decide-removals.ts';
import type { SourcePorts } from './ports.ts';
import type { Synchronised } from './synchronise.ts';

/** The condition PendingRemoval of a source, while there are such resources. */
export function removalConditions(pending: readonly PendingRemoval[]): readonly ConditionInput[] {
  if (pending.length === 0) return [];
  const unapproved = unapprovedRemovals(pending);
  const type = PENDING_REMOVAL;
  if (unapproved.length > 0) {
    return [
      { type, status: 'True', reason: 'ApprovalNeeded', message: `An admin must approve the removal of ${removalNames(unapproved)}` },
    ];
  }
  const until = pending.map(({ removeAt = '' }) => removeAt).sort()[0] ?? '';
  const message = `${removalNames(pending)} no longer ${pending.length === 1 ? 'has' : 'have'} a document. Removal starts at ${until} unless the documents return`;
  return [{ type, status: 'True', reason: 'Waiting', message }];
}

/** At most three of the resources, those that take other things with them first. */
export function removalNames(pending: readonly PendingRemoval[]): string {
  const sorted = pending.toSorted((a, b) => Number(b.loss !== undefined) - Number(a.loss !== undefined));
  const first = sorted.slice(0, 3).map(({ resource, loss }) => (loss === undefined ? resource : `${resource} ${loss}`));
  return `${first.join(', ')}${pending.length > 3 ? ', …' : ''}`;
}

interface RemovalReport {
  readonly before: SourceStatus;
  readonly done: Synchronised;
}

interface RemovalWork {
  readonly ports: SourcePorts;
  readonly source: KubeObject;
  readonly signal: AbortSignal;
}

/** Says on each resource that has lost its document that it is pending removal, and takes that back when the document has returned or the removal is off. */
export async function reportRemovals(work: RemovalWork, { before, done }: RemovalReport): Promise<void> {
  const known = new Map(before.inventory.filter(isMissing).map((item) => [idOfItem(item), item]));
  const now = new Map(done.inventory.filter(isMissing).map((item) => [idOfItem(item), item]));
  const live = new Set(done.applied.map(({ id }) => id));
  for (const item of known.values()) {
    if (now.has(idOfItem(item))) continue;
    await mark(work, item, undefined);
    if (live.has(idOfItem(item))) await reportReturn(work, item);
  }
  const removals = new Map(done.pending.map((removal) => [removal.resource, removal]));
  for (const item of now.values()) {
    const removal = removals.get(nameOfItem(item));
    if (removal === undefined) continue;
    const marked = await mark(work, item, removal);
    if (!known.has(idOfItem(item))) await reportPending(work, removal, marked);
  }
}

function isMissing({ missing }: InventoryItem): boolean {
  return missing !== undefined;
}

async function reportReturn({ ports, source }: RemovalWork, item: InventoryItem): Promise<void> {
  const resource = nameOfItem(item);
  ports.log.info('The document of a resource returned; the removal is off', { source: source.metadata.name, resource });
  await ports.events.record(source, {
    type: 'Normal',
    reason: 'DocumentReturned',
    message: `${resource} has its document again and stays`,
  });
}

async function reportPending({ ports, source }: RemovalWork, removal: PendingRemoval, live: KubeObject | undefined): Promise<void> {
  const { resource, file, loss, revision } = removal;
  const keys = { source: source.metadata.name, resource, file, revision: revision.slice(0, 19) };
  ports.log.warn('A resource has lost its document and is pending removal', { ...keys, ...(loss === undefined ? {} : { loss }) });
  const message = sentenceOf(source.metadata.name, removal);
  await ports.events.record(source, { type: 'Warning', reason: PENDING_REMOVAL, message: `${resource}: ${message}` });
  if (live !== undefined) await ports.events.record(live, { type: 'Warning', reason: PENDING_REMOVAL, message });
}

function sentenceOf(source: string, { file, removeAt, loss }: PendingRemoval): string {
  const lost = `The CatalogSource ${source} no longer has a document of this resource (it was in ${file})`;
  if (removeAt !== undefined) return `${lost}. Chandlery removes the resource at ${removeAt} unless the document returns`;
  return `${lost}. Chandlery removes the resource${loss === undefined ? '' : ` ${loss}`} when an admin approves the revision. To keep it, restore the document`;
}

/** @returns the resource; undefined when it is gone or has no conditions of ours. */
async function mark(
  { ports, source, signal }: RemovalWork,
  { apiVersion, kind, namespace, name }: InventoryItem,
  removal: PendingRemoval | undefined,
): Promise<KubeObject | undefined> {
  const type = PRUNED_KINDS.find((one) => one.kind === kind && one.group === parseApiVersion(apiVersion).group);
  if (type === undefined) return undefined;
  const place = { name, ...(namespace === undefined ? {} : { namespace }) };
  const live = await ifFound(ports.cluster.get({ ...type, ...place }, { signal }));
  if (live === undefined) return undefined;
  const stands = findCondition(conditionsOf(live), PENDING_REMOVAL);
  const message = removal && sentenceOf(source.metadata.name, removal);
  if (stands?.message === message) return live;
  const condition = removal && {
    type: PENDING_REMOVAL,
    status: 'True',
    reason: removal.removeAt === undefined ? 'ApprovalNeeded' : 'Waiting',
    message,
    observedGeneration: live.metadata.generation ?? 0,
    lastTransitionTime: stands?.lastTransitionTime ?? removal.since,
  };
  const status = { conditions: condition === undefined ? [] : [condition] };
  try {
    const object = { apiVersion: apiVersionOf(type), kind, metadata: place, status };
    await ports.cluster.applyStatus(type, object, { fieldManager: OURS.removalFieldManager, force: 'force', signal });
  } catch (error) {
    // It has just been deleted.
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
  return live;
}
