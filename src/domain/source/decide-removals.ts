import { timestamp } from '../kubernetes/resource.ts';
import { APP_DEFINITION, CATALOG_RELEASE, ENVIRONMENT, type KnownType, OPERATOR } from '../kubernetes/resource-types.ts';
import type { InventoryItem, PendingRemoval } from './catalog-source.ts';
import { nameOfItem } from './check-documents.ts';

/** The kinds whose resources say themselves, by a condition, that they are pending removal. */
export const PRUNED_KINDS: readonly KnownType[] = [OPERATOR, APP_DEFINITION, ENVIRONMENT, CATALOG_RELEASE];

/** A resource that has lost its document, and what else is lost when it is deleted. */
export interface Removal {
  readonly item: InventoryItem;
  /** `with 3 instances`; absent when the resource holds nothing. */
  readonly loss?: string;
  /** Another resource of the same revision takes over what it holds. */
  readonly successor?: string;
}

export interface RemovalOptions {
  /** The revision that was read now. */
  readonly revision: string;
  /** The revision whose removals a person has approved. */
  readonly approved: string | undefined;
  /** How many resources the source owns. */
  readonly owned: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds between the loss of a document and the removal of its resource. */
  readonly delay: number;
}

export interface RemovalDecisions<R extends Removal> {
  /** To be deleted now. */
  readonly due: readonly R[];
  readonly pending: readonly { readonly item: InventoryItem; readonly removal: PendingRemoval }[];
}

/** A revision that removes at least two resources and more than this share of what the source owns, or all of it, is probably a mistake, such as a folder that was moved. */
const USUAL_SHARE = 0.3;

/**
 * Decides which resources without a document are deleted now. Each is pending for `delay` first. One that holds something, and each of an unusual number,
 * is deleted only after somebody has approved the revision.
 */
export function decideRemovals<R extends Removal>(removals: readonly R[], options: RemovalOptions): RemovalDecisions<R> {
  const { revision, approved, owned, now, delay } = options;
  const { length } = removals.filter(({ successor }) => successor === undefined);
  const isMuch = length === owned || (length >= 2 && length > USUAL_SHARE * owned);
  const due: R[] = [];
  const pending: { readonly item: InventoryItem; readonly removal: PendingRemoval }[] = [];
  for (const removal of removals) {
    const { item, loss, successor } = removal;
    const missing = item.missing ?? { since: timestamp(new Date(now)), revision };
    const removeAt = Date.parse(missing.since) + delay;
    const needsApproval = isMuch || loss !== undefined;
    if (successor !== undefined || approved === revision || (!needsApproval && now >= removeAt)) {
      due.push(removal);
      continue;
    }
    const { file } = item;
    const until = needsApproval ? {} : { removeAt: timestamp(new Date(removeAt)) };
    const described = { resource: nameOfItem(item), file, ...missing, ...until, ...(loss === undefined ? {} : { loss }) };
    pending.push({ item: { ...item, missing }, removal: described });
  }
  return { due, pending };
}

/** The removals whose resources still have no document, by an inventory. */
export function stillPending(removals: readonly PendingRemoval[], inventory: readonly InventoryItem[]): readonly PendingRemoval[] {
  const missing = new Set(inventory.filter((item) => item.missing !== undefined).map(nameOfItem));
  return removals.filter(({ resource }) => missing.has(resource));
}

/** The removals that somebody has to approve. */
export function unapprovedRemovals(removals: readonly PendingRemoval[]): readonly PendingRemoval[] {
  return removals.filter(({ removeAt }) => removeAt === undefined);
}

/**
 * Milliseconds after which the next removal is due; `Infinity` when none is. What was due when the attempt began could not be removed in it, so it waits for the
 * regular retry.
 *
 * @param at when the attempt began, and now, in milliseconds since 1970.
 */
export function untilNextRemoval(
  removals: readonly PendingRemoval[],
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): number {
  const times = removals.flatMap(({ removeAt }) => (removeAt === undefined ? [] : [Date.parse(removeAt)]));
  return Math.max(0, Math.min(Infinity, ...times.filter((time) => time > startedAt)) - now);
}
