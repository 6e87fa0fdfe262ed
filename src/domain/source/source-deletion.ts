import { statusOf, specOf } from '../kind/kind.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem } from './catalog-source.ts';
import { addressOfItem, type InventoryAddress } from './check-documents.ts';

/** What deleting a CatalogSource does to the resources that it owns. */
export interface SourceDeletion {
  readonly state: 'Preview' | 'Deleting';
  /** Whether its resources are deleted with it; else they stay, without an owner. */
  readonly prune: boolean;
  readonly total: number;
  readonly kinds: readonly DeletedKind[];
  /** The first of them, by kind and name. */
  readonly resources: readonly (InventoryAddress & Pick<InventoryItem, 'uid'>)[];
}

interface DeletedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
  /** What the deletion of such a resource means; empty for one that is simply deleted. */
  readonly note: string;
}

const MOST_RESOURCES = 100;

/** What goes with one of a kind. Their own deletion policies still hold. */
const NOTES: Readonly<Record<string, string>> = {
  Operator: 'Its deletionPolicy decides about its release, CRDs and instances.',
  Environment: 'Its reclaim policy decides about its namespace.',
  Namespace: 'Everything in it is deleted.',
  PersistentVolumeClaim: 'Its data may be lost.',
  CustomResourceDefinition: 'All its instances are deleted.',
};

export function sourceDeletion(source: KubeObject): SourceDeletion {
  const { inventory } = statusOf(CATALOG_SOURCE_KIND, source);
  const kinds = Map.groupBy(inventory, ({ apiVersion, kind }) => `${kind} ${apiVersion}`);
  const sorted = inventory.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name));
  return {
    state: source.metadata.deletionTimestamp === undefined ? 'Preview' : 'Deleting',
    prune: specOf(CATALOG_SOURCE_KIND, source).prune,
    total: inventory.length,
    kinds: [...kinds.values()]
      .flatMap((items) =>
        items.slice(0, 1).map(({ apiVersion, kind }) => ({ apiVersion, kind, count: items.length, note: NOTES[kind] ?? '' })),
      )
      .sort((a, b) => a.kind.localeCompare(b.kind)),
    resources: sorted
      .slice(0, MOST_RESOURCES)
      .map((item) => ({ ...addressOfItem(item), ...(item.uid === undefined ? {} : { uid: item.uid }) })),
  };
}
