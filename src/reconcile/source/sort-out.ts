import type { Candidate } from './check-documents.ts';
import type { SourceFault } from './fault.ts';
import { nameOfItem } from './prune-resources.ts';
import type { InventoryItem } from './source-status.ts';
import type { Stock } from './state.ts';

interface Outcome {
  readonly stock: Stock;
  readonly faults: readonly SourceFault[];
  readonly applied: readonly Candidate[];
  readonly prune: boolean;
}

/** What of the old inventory is gone from the folder, and what stays on it because its document, or something in its file, has a fault. */
export function sortOut(inventory: readonly InventoryItem[], outcome: Outcome): { gone: InventoryItem[]; kept: InventoryItem[] } {
  const { stock, faults, applied } = outcome;
  const faulty = new Set(faults.map((fault) => fault.file));
  const live = new Set(applied.map(({ resource }) => resource));
  const others = inventory.filter((item) => !live.has(nameOfItem(item)));
  const stays = (item: InventoryItem): boolean => stock.named.has(nameOfItem(item)) || faulty.has(item.file);
  return { gone: outcome.prune ? others.filter((item) => !stays(item)) : [], kept: others.filter((item) => stays(item)) };
}
