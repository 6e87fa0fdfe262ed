import type { InventoryItem, SourceFault } from '../../domain/source/catalog-source.ts';
import { applyDocument } from './apply-document.ts';
import { type Candidate, idOfItem, nameOfItem, sortFaults } from '../../domain/source/check-documents.ts';
import type { Stock } from '../../domain/source/stock.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { sortOut } from './inventory.ts';
import { pruneResource } from './prune-resources.ts';

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
  readonly inventory: readonly InventoryItem[];
  readonly prune: boolean;
  /** The revision that a person lets delete as much as it does. */
  readonly approvedPrune?: string;
  readonly signal: AbortSignal;
  /** Writes down what the source may own from now on, before anything is applied. */
  readonly remember: (inventory: readonly InventoryItem[]) => Promise<void>;
}

export interface Synchronised {
  readonly inventory: readonly InventoryItem[];
  readonly faults: readonly SourceFault[];
  readonly applied: number;
  readonly pruned: readonly string[];
  /** What another source has now. */
  readonly handedOver: readonly string[];
  /** Nothing was applied, because the revision deletes this, and nobody has approved that. */
  readonly unapproved: readonly string[];
}

/** Dry run → inventory (old ∪ new) → apply → prune → exact inventory. A document with a fault keeps its last good version. */
export async function synchronise(cluster: SourceCluster, input: SynchroniseInput): Promise<Synchronised> {
  const { source, sources, stock, inventory, labels, discovery, signal } = input;
  const faults: SourceFault[] = [...stock.faults];
  const uids = new Map<string, string | undefined>();
  const attempt = async (candidate: Candidate, mode: 'DryRun' | 'Apply'): Promise<boolean> => {
    const found = await applyDocument(cluster, { candidate, source, sources, labels, mode, signal });
    faults.push(...found.faults);
    uids.set(candidate.id, found.uid);
    return found.faults.length === 0;
  };

  const valid: Candidate[] = [];
  for (const candidate of stock.candidates) if (await attempt(candidate, 'DryRun')) valid.push(candidate);
  const rejected = input.unit === 'Revision' ? await rejectedRevision(input, faults) : undefined;
  if (rejected !== undefined) return rejected;
  const owned = new Map(inventory.map((item) => [idOfItem(item), item.uid]));
  // A resource that the apply creates has another uid than its dry run. One that is there keeps its own, so that a source in sync writes nothing.
  const uidOf = ({ id }: Candidate): string | undefined => (owned.get(id) === uids.get(id) ? owned.get(id) : undefined);
  await input.remember(
    union(
      inventory,
      valid.map((candidate) => itemOf(candidate, uidOf(candidate))),
    ),
  );
  const applied: Candidate[] = [];
  for (const candidate of valid) if (await attempt(candidate, 'Apply')) applied.push(candidate);

  const hasLeft = inventory.some((item) => !stock.named.has(idOfItem(item)));
  const claims = hasLeft ? await input.claims() : new Set<string>();
  const { gone, kept } = sortOut(inventory, { stock, faults, applied, prune: input.prune, claims });
  const ended = { Deleted: [] as string[], HandedOver: [] as string[], Left: [] as string[] };
  for (const item of gone) ended[await pruneResource(cluster, item, { source, discovery, claims, signal })].push(nameOfItem(item));
  const live = applied.map((candidate) => itemOf(candidate, uids.get(candidate.id)));
  return {
    inventory: union(kept, live),
    faults: sortFaults(faults),
    applied: applied.length,
    pruned: ended.Deleted,
    handedOver: ended.HandedOver,
    unapproved: [],
  };
}

/** A revision that deletes more than this share of what the source owns is probably a mistake, such as a folder that was moved. */
const USUAL_PRUNE = 0.3;

async function rejectedRevision(input: SynchroniseInput, faults: readonly SourceFault[]): Promise<Synchronised | undefined> {
  const unapproved = faults.length > 0 ? [] : await unapprovedDeletions(input);
  if (faults.length === 0 && unapproved.length === 0) return undefined;
  return { inventory: input.inventory, faults: sortFaults(faults), applied: 0, pruned: [], handedOver: [], unapproved };
}

async function unapprovedDeletions({ stock, inventory, prune, approvedPrune, claims }: SynchroniseInput): Promise<readonly string[]> {
  if (!prune || approvedPrune === stock.revision) return [];
  const left = inventory.filter((item) => !stock.named.has(idOfItem(item)));
  if (left.length === 0) return [];
  const claimed = await claims();
  const deleted = left.filter((item) => !claimed.has(idOfItem(item))).map(nameOfItem);
  return deleted.length > USUAL_PRUNE * inventory.length ? deleted : [];
}

/** Both lists, the second one's entry winning, sorted. */
function union(first: readonly InventoryItem[], second: readonly InventoryItem[]): InventoryItem[] {
  const byName = new Map([...first, ...second].map((item) => [idOfItem(item), item]));
  return [...byName.values()].sort((a, b) => a.file.localeCompare(b.file) || nameOfItem(a).localeCompare(nameOfItem(b)));
}

function itemOf({ document, object }: Candidate, uid?: string): InventoryItem {
  const { namespace, name } = object.metadata;
  const place = { ...(namespace === undefined ? {} : { namespace }), name };
  return { file: document.file, apiVersion: object.apiVersion, kind: object.kind, ...place, ...(uid === undefined ? {} : { uid }) };
}
