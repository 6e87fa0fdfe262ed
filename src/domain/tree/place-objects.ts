import { declaredEdges, type DeclaredRelations, NO_DECLARED_RELATIONS } from './declared-edges.ts';
import { edgesOf, type Edge } from './find-edges.ts';
import { indexObjects, kindKey, type ObjectIndex } from './object-index.ts';
import type { RelationClass } from './relations.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { type ReleaseMembers, memberEdges } from './release-members.ts';

/** An object at its one place in a tree. */
export interface Placed {
  readonly object: KubeObject;
  /** Absent for the root. */
  readonly parent?: Placed;
  readonly edge?: Edge;
  readonly depth: number;
  /** Whether the root needs it: what it owns and what that uses, in contrast to what others put on top, such as an Ingress. */
  readonly isPart: boolean;
  /** The edges that begin in it, that to its parent included. */
  readonly edges: readonly Edge[];
  readonly children: Placed[];
}

/** Pages recurse into trees; what stands deeper hangs under its last ancestor above that. */
const DEEPEST = 32;

/** The objects that were read together, with all edges between them: found once for all trees of a namespace. */
export interface ObjectGraph {
  readonly index: ObjectIndex;
  /** The edges that begin in an object. */
  readonly edges: ReadonlyMap<KubeObject, readonly Edge[]>;
  /** The edges by which objects are brought along by what they name. */
  readonly followers: ReadonlyMap<KubeObject, readonly Edge[]>;
}

export function graphOf(objects: readonly KubeObject[], declared: DeclaredRelations = NO_DECLARED_RELATIONS): ObjectGraph {
  const index = indexObjects(objects);
  const isDeclared = declared.naming.size + declared.fields.size > 0;
  const edgesFrom = (object: KubeObject): readonly Edge[] => {
    if (!isDeclared) return edgesOf(object, index);
    const more = declaredEdges(object, index, declared);
    return more.length === 0 ? edgesOf(object, index) : [...edgesOf(object, index), ...more];
  };
  const edges = new Map(index.objects.map((object) => [object, edgesFrom(object)]));
  return { index, edges, followers: holdersByTarget([...edges.values()].flat()) };
}

/**
 * The group of a root: what it owns, what these objects use, and what is put on top of them, each object once. Owner references decide where an object stands, that of
 * the controller first; inferred edges place only what no owner has placed. Cycles end because nothing is placed twice.
 */
export function placeObjects(root: KubeObject, graph: ObjectGraph, members: ReleaseMembers = new Map()): Placed {
  const ofRelease = memberEdges(root, members).filter(({ holder, target }) => graph.edges.has(holder) && target !== undefined);
  const byHolder = Map.groupBy(ofRelease, ({ holder }) => holder);
  const byTarget = holdersByTarget(ofRelease);
  const edgesFrom = (object: KubeObject): readonly Edge[] => joined(graph.edges.get(object), byHolder.get(object));
  const placed = new Set<KubeObject>();
  const queues = Array.from({ length: PRIORITIES }, (): Queue => ({ waiting: [], taken: 0 }));
  const place = (one: Placed): Placed => {
    placed.add(one.object);
    for (const edge of joined(graph.followers.get(one.object), byTarget.get(one.object)))
      wait(queues, { object: edge.holder, edge, below: one });
    for (const edge of one.edges) {
      if (edge.joins === 'Target' && edge.target !== undefined) wait(queues, { object: edge.target, edge, below: one });
    }
    return one;
  };
  const top = place({ object: root, depth: 0, isPart: true, edges: edgesFrom(root), children: [] });
  for (let next = nextOf(queues); next !== undefined; next = nextOf(queues)) {
    if (placed.has(next.object)) continue;
    const { object, edge, below } = next;
    const parent = parentFor(next);
    const isPart = below.isPart && isNeeded(edge);
    parent.children.push(place({ object, parent, edge, depth: parent.depth + 1, isPart, edges: edgesFrom(object), children: [] }));
  }
  return top;
}

const NO_EDGES: readonly Edge[] = [];

function joined(some: readonly Edge[] = NO_EDGES, others: readonly Edge[] = NO_EDGES): readonly Edge[] {
  return others.length === 0 ? some : [...some, ...others];
}

function holdersByTarget(edges: Iterable<Edge>): ReadonlyMap<KubeObject, readonly Edge[]> {
  const holders = new Map<KubeObject, Edge[]>();
  for (const edge of edges) {
    if (edge.target === undefined || edge.joins !== 'Holder') continue;
    const known = holders.get(edge.target);
    if (known === undefined) holders.set(edge.target, [edge]);
    else known.push(edge);
  }
  return holders;
}

function isNeeded({ inferred, joins, class: relation }: Edge): boolean {
  return !inferred || joins === 'Target' || NEEDED.has(relation);
}

const NEEDED = new Set<RelationClass>(['ReleaseManifest', 'Label', 'EndpointSlice']);

interface Waiting {
  readonly object: KubeObject;
  readonly edge: Edge;
  readonly below: Placed;
}

const PRIORITIES = 6;

/** Which edges place an object before others do: the lowest first. */
function priorityOf({ isController, inferred, class: relation, joins }: Edge): number {
  if (isController) return 0;
  if (!inferred) return 1;
  if (relation === 'ReleaseManifest') return 2;
  if (relation === 'Label' || relation === 'VolumeClaim') return 3;
  return joins === 'Target' ? 4 : 5;
}

/** First in, first out; `taken` counts those that came out. */
interface Queue {
  readonly waiting: Waiting[];
  taken: number;
}

function wait(queues: readonly Queue[], one: Waiting): void {
  queues[priorityOf(one.edge)]?.waiting.push(one);
}

function nextOf(queues: readonly Queue[]): Waiting | undefined {
  const queue = queues.find(({ waiting, taken }) => taken < waiting.length);
  if (queue === undefined) return undefined;
  queue.taken += 1;
  return queue.waiting[queue.taken - 1];
}

const REPLICAS = new Set(['/Pod', 'apps/ReplicaSet']);

/** What selects Pods stands below their workload, not below one of them. */
function parentFor({ edge, below }: Waiting): Placed {
  let parent = below;
  const isReplica = (): boolean => edge.class === 'Selector' && REPLICAS.has(kindKey(parent.object));
  while ((parent.depth >= DEEPEST || isReplica()) && parent.parent !== undefined) parent = parent.parent;
  return parent;
}
