import { applyDocument } from './apply-document.ts';
import type { Candidate } from './check-documents.ts';
import { sortFaults, type SourceFault } from './fault.ts';
import type { SourcePorts } from './ports.ts';
import { nameOfItem, pruneResource } from './prune-resources.ts';
import { sortOut } from './sort-out.ts';
import type { InventoryItem } from './source-status.ts';
import type { Stock } from './state.ts';

export interface SynchroniseInput {
  readonly source: string;
  readonly stock: Stock;
  readonly inventory: readonly InventoryItem[];
  readonly prune: boolean;
  readonly signal: AbortSignal;
  /** Writes down what the source may own from now on, before anything is applied. */
  readonly remember: (inventory: readonly InventoryItem[]) => Promise<void>;
}

export interface Synchronised {
  readonly inventory: readonly InventoryItem[];
  readonly faults: readonly SourceFault[];
  readonly applied: number;
  readonly pruned: readonly string[];
}

/** Dry run → inventory (old ∪ new) → apply → prune → exact inventory. A document with a fault keeps its last good version. */
export async function synchronise(cluster: SourcePorts['cluster'], input: SynchroniseInput): Promise<Synchronised> {
  const { source, stock, inventory, signal } = input;
  const faults: SourceFault[] = [...stock.faults];
  const attempt = async (candidate: Candidate, mode: 'DryRun' | 'Apply'): Promise<boolean> => {
    const found = await applyDocument(cluster, { candidate, source, mode, signal });
    faults.push(...found);
    return found.length === 0;
  };

  const valid: Candidate[] = [];
  for (const candidate of stock.candidates) if (await attempt(candidate, 'DryRun')) valid.push(candidate);
  await input.remember(union(inventory, valid.map(itemOf)));
  const applied: Candidate[] = [];
  for (const candidate of valid) if (await attempt(candidate, 'Apply')) applied.push(candidate);

  const { gone, kept } = sortOut(inventory, { stock, faults, applied, prune: input.prune });
  const pruned: string[] = [];
  for (const item of gone) if (await pruneResource(cluster, item, { source, signal })) pruned.push(nameOfItem(item));
  return { inventory: union(kept, applied.map(itemOf)), faults: sortFaults(faults), applied: applied.length, pruned };
}

/** Both lists, the second one's entry winning, sorted. */
function union(first: readonly InventoryItem[], second: readonly InventoryItem[]): InventoryItem[] {
  const byName = new Map([...first, ...second].map((item) => [nameOfItem(item), item]));
  return [...byName.values()].sort((a, b) => a.file.localeCompare(b.file) || nameOfItem(a).localeCompare(nameOfItem(b)));
}

function itemOf({ document, object }: Candidate): InventoryItem {
  const { namespace, name } = object.metadata;
  return { file: document.file, apiVersion: object.apiVersion, kind: object.kind, ...(namespace === undefined ? {} : { namespace }), name };
}
