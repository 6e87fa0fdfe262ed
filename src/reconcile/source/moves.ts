import { textAt } from '../../domain/core/read.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { type KubeObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, ENVIRONMENT, type KnownType, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { hasSameChart, releaseDifference, releaseOfOperator } from '../../domain/operator/operator-move.ts';
import type { InventoryItem, SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, idOfItem, nameOfItem } from '../../domain/source/check-documents.ts';
import type { Stock } from '../../domain/source/stock.ts';
import type { SourceCluster } from './ports.ts';

/** A kind whose rename is a move. */
interface Movable {
  readonly type: KnownType;
  /** What stays the same. */
  readonly keyOf: (object: KubeObject) => string | undefined;
  /** Why one resource cannot become another that is its renamed self by all appearances; undefined where it is another one. */
  readonly obstacleOf?: (former: KubeObject, successor: KubeObject) => string | undefined;
}

const MOVABLE: readonly Movable[] = [
  { type: ENVIRONMENT, keyOf: ({ spec, metadata }) => textAt(spec, 'namespace') ?? metadata.name },
  { type: APP_DEFINITION, keyOf: ({ spec }) => textAt(spec, 'names', 'plural') ?? defaultNames(spec) },
  {
    type: OPERATOR,
    keyOf: releaseOfOperator,
    obstacleOf: (former, successor) => (hasSameChart(former, successor) ? releaseDifference(former, successor) : undefined),
  },
];

export interface Moves {
  /** With the former name of each renamed resource in its annotation, and without those that cannot take over from their former ones. */
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
 * Finds the resources that a revision renames: of one kind, one goes and one comes with the same namespace, the same names of its generated kind, or the same Helm
 * release. The new one gets the annotation `chandlery.dev/moved-from`, by which its controller takes over what the former one holds. A move that was begun is
 * found again.
 */
export async function findMoves(cluster: SourceCluster, { stock, inventory, signal }: MovesInput): Promise<Moves> {
  const owned = new Map(inventory.map((item) => [idOfItem(item), item]));
  const former = new Map(stock.candidates.flatMap(({ id }) => movedFrom(id, owned.get(id))));
  const successors = new Map<string, string>();
  const faults = new Map<string, SourceFault>();
  for (const movable of MOVABLE) {
    const candidates = stock.candidates.filter(({ type }) => isOfKind(type, movable));
    const items = inventory.filter((item) => isGone(item, movable, stock));
    const come = candidates.filter((one) => items.some((item) => mayFollow(one, item, owned)));
    if (come.length === 0) continue;
    const gone = await findLive(cluster, movable, items, signal);
    for (const { item, live } of gone) {
      const key = movable.keyOf(live);
      const found = come.find((one) => key !== undefined && mayFollow(one, item, owned) && movable.keyOf(one.object) === key);
      if (found === undefined) continue;
      former.set(found.id, formerName(item));
      successors.set(idOfItem(item), found.id);
    }
    const free = come.filter(({ id }) => !owned.has(id) && !former.has(id));
    const left = gone.filter(({ item }) => !successors.has(idOfItem(item)));
    for (const { item, candidate, obstacle } of blockedMoves(movable, left, free)) {
      successors.set(idOfItem(item), candidate.id);
      faults.set(candidate.id, cannotMove(candidate, item, obstacle));
    }
  }
  if (former.size === 0 && faults.size === 0) return { stock, successors };
  const candidates = stock.candidates
    .filter(({ id }) => !faults.has(id))
    .map((candidate) => withFormerName(candidate, former.get(candidate.id)));
  return { stock: { ...stock, candidates, faults: [...stock.faults, ...faults.values()] }, successors };
}

interface BlockedMove {
  readonly item: InventoryItem;
  readonly candidate: Candidate;
  readonly obstacle: string;
}

/** The renames that cannot be moves. Of several resources that go or come alike, it is not known which one is renamed, so these are none. */
function blockedMoves({ obstacleOf }: Movable, gone: readonly Gone[], come: readonly Candidate[]): readonly BlockedMove[] {
  const pairs = gone.flatMap(({ item, live }) =>
    come.flatMap((candidate) => {
      const obstacle = obstacleOf?.(live, candidate.object);
      return obstacle === undefined ? [] : [{ item, candidate, obstacle }];
    }),
  );
  return pairs.filter((one) => pairs.every((other) => other === one || (other.item !== one.item && other.candidate !== one.candidate)));
}

type Owned = ReadonlyMap<string, InventoryItem>;

/** Whether a resource may be what another one is renamed to: it is new, or a move between the two was begun, in this direction or the other. */
function mayFollow({ id }: Candidate, gone: InventoryItem, owned: Owned): boolean {
  const item = owned.get(id);
  return item === undefined || item.movedFrom === formerName(gone) || gone.movedFrom === formerName(item);
}

interface Gone {
  readonly item: InventoryItem;
  readonly live: KubeObject;
}

/** Whether a revision does not name a resource of this kind any more. */
function isGone(item: InventoryItem, movable: Movable, { named }: Stock): boolean {
  const { group } = parseApiVersion(item.apiVersion);
  return isOfKind({ group, kind: item.kind }, movable) && !named.has(idOfItem(item));
}

async function findLive(
  cluster: SourceCluster,
  { type }: Movable,
  items: readonly InventoryItem[],
  signal: AbortSignal,
): Promise<readonly Gone[]> {
  const gone: Gone[] = [];
  for (const item of items) {
    const { name, namespace } = item;
    const live = await ifFound(cluster.get({ ...type, name, ...(namespace === undefined ? {} : { namespace }) }, { signal }));
    if (live !== undefined) gone.push({ item, live });
  }
  return gone;
}

/** An AppDefinition without names gets those of its chart. */
function defaultNames(spec: unknown): string {
  return `${textAt(spec, 'chart', 'repoURL') ?? ''} ${textAt(spec, 'chart', 'name') ?? ''}`;
}

function isOfKind({ group, kind }: { readonly group: string; readonly kind: string }, { type }: Movable): boolean {
  return kind === type.kind && group === type.group;
}

/** The former name as the annotation has it: with the namespace, where there is one. */
function formerName({ namespace, name }: InventoryItem): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function movedFrom(id: string, item: InventoryItem | undefined): readonly (readonly [string, string])[] {
  return item?.movedFrom === undefined ? [] : [[id, item.movedFrom]];
}

function cannotMove({ document, resource }: Candidate, item: InventoryItem, why: string): SourceFault {
  const message = `it has the chart of ${nameOfItem(item)}, which this revision removes: ${why} for a rename, or remove the one and add the other in two revisions`;
  return { file: document.file, ...document.locate('spec'), resource, message };
}

function withFormerName(candidate: Candidate, name: string | undefined): Candidate {
  if (name === undefined) return candidate;
  const { object } = candidate;
  const { annotations } = object.metadata;
  return { ...candidate, object: { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [OURS.movedFrom]: name } } } };
}
