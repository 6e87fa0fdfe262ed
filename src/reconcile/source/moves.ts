import { textAt } from '../../domain/core/read.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { type KubeObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, ENVIRONMENT, type KnownType } from '../../domain/kubernetes/resource-types.ts';
import type { InventoryItem } from '../../domain/source/catalog-source.ts';
import { type Candidate, idOfItem } from '../../domain/source/check-documents.ts';
import type { Stock } from '../../domain/source/stock.ts';
import type { SourceCluster } from './ports.ts';

/** The kinds whose rename is a move, and what stays the same. */
const MOVABLE: readonly { readonly type: KnownType; readonly keyOf: (object: KubeObject) => string | undefined }[] = [
  { type: ENVIRONMENT, keyOf: ({ spec, metadata }) => textAt(spec, 'namespace') ?? metadata.name },
  { type: APP_DEFINITION, keyOf: ({ spec }) => textAt(spec, 'names', 'plural') },
];

export interface Moves {
  /** With the former name of each renamed resource in its annotation. */
  readonly stock: Stock;
  /** The ids of the renamed resources, by those of the former ones. */
  readonly successors: ReadonlyMap<string, string>;
}

interface MovesInput {
  readonly stock: Stock;
  readonly inventory: readonly InventoryItem[];
  readonly signal: AbortSignal;
}

/**
 * Finds the resources that a revision renames: of one kind, one goes and one comes with the same namespace, or the same names of its generated kind. The new
 * one gets the annotation `chandlery.dev/moved-from`, by which its controller takes over what the former one holds.
 */
export async function findMoves(cluster: SourceCluster, { stock, inventory, signal }: MovesInput): Promise<Moves> {
  const owned = new Map(inventory.map((item) => [idOfItem(item), item]));
  const former = new Map(stock.candidates.flatMap(({ id }) => movedFrom(id, owned.get(id))));
  const successors = new Map<string, string>();
  for (const { type, keyOf } of MOVABLE) {
    const isOfKind = ({ group, kind }: { readonly group: string; readonly kind: string }): boolean =>
      kind === type.kind && group === type.group;
    const come = stock.candidates.filter((candidate) => isOfKind(candidate.type) && !owned.has(candidate.id));
    const gone = inventory.filter(
      (item) => isOfKind({ group: parseApiVersion(item.apiVersion).group, kind: item.kind }) && !stock.named.has(idOfItem(item)),
    );
    if (come.length === 0) continue;
    for (const item of gone) {
      const live = await ifFound(cluster.get({ ...type, name: item.name }, { signal }));
      const successor = live && come.find(({ object }) => keyOf(object) === keyOf(live));
      if (successor === undefined) continue;
      former.set(successor.id, item.name);
      successors.set(idOfItem(item), successor.id);
    }
  }
  const candidates = stock.candidates.map((candidate) => withFormerName(candidate, former.get(candidate.id)));
  return { stock: former.size === 0 ? stock : { ...stock, candidates }, successors };
}

function movedFrom(id: string, item: InventoryItem | undefined): readonly (readonly [string, string])[] {
  return item?.movedFrom === undefined ? [] : [[id, item.movedFrom]];
}

function withFormerName(candidate: Candidate, name: string | undefined): Candidate {
  if (name === undefined) return candidate;
  const { object } = candidate;
  const { annotations } = object.metadata;
  return { ...candidate, object: { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [OURS.movedFrom]: name } } } };
}
