import type { InventoryItem, SourceFault } from '../../domain/source/catalog-source.ts';
import type { Candidate } from './check-documents.ts';
import { nameOfItem } from './inventory-name.ts';
import type { Stock } from './state.ts';

interface Outcome {
  readonly stock: Stock;
  readonly faults: readonly SourceFault[];
  readonly applied: readonly Candidate[];
  readonly prune: boolean;
  /** The resources that other sources have a document of, too. */
  readonly claims: ReadonlySet<string>;
}

/**
 * What of the old inventory is gone from the folder, and what stays on it because its document, or something in its file, has a fault. What another
 * source has now is gone as soon as its file can be read: it is not deleted, and two sources may wait for one another.
 */
export function sortOut(inventory: readonly InventoryItem[], outcome: Outcome): { gone: InventoryItem[]; kept: InventoryItem[] } {
  const { stock, faults, applied, claims } = outcome;
  const faulty = new Set(faults.map((fault) => fault.file));
  const unread = new Set(faults.filter(({ resource }) => resource === undefined).map((fault) => fault.file));
  const live = new Set(applied.map(({ resource }) => resource));
  const others = inventory.filter((item) => !live.has(nameOfItem(item)));
  const stays = (item: InventoryItem): boolean =>
    stock.named.has(nameOfItem(item)) || (claims.has(nameOfItem(item)) ? unread : faulty).has(item.file);
  const isGone = (item: InventoryItem): boolean => !stays(item) && (outcome.prune || claims.has(nameOfItem(item)));
  return { gone: others.filter(isGone), kept: others.filter(stays) };
}
