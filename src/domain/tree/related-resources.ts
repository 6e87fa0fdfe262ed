import { healthOf } from '../health/rules/health-of.ts';
import type { Health } from '../health/health.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { declaredEdges, type DeclaredRelations, NO_DECLARED_RELATIONS } from './declared-edges.ts';
import { edgesOf, type Edge } from './find-edges.ts';
import { indexObjects, keyOf, nameOf, namespaceOf, type ObjectName, uidOf } from './object-index.ts';
import { nodesOf, type TreeLink, type TreeNode } from './tree.ts';

/** How another resource is related to the one at hand. */
export const RELATION_DIRECTIONS = ['Owner', 'Owned', 'References', 'ReferencedBy'] as const;

/** Another resource that the one at hand names by a field, or that names it. */
export interface RelatedResource extends TreeLink {
  readonly direction: (typeof RELATION_DIRECTIONS)[number];
  readonly health?: Health;
}

/** Of each direction. */
const MAX_RELATED = 200;

/** What an object is related to, and the Pods, ReplicaSets and others below it. */
export interface RelatedResources {
  /** Owners first, then what it owns, what it names, and what names it. */
  readonly related: readonly RelatedResource[];
  /** The object with everything that it owns, at any depth. */
  readonly owned: TreeNode;
}

/**
 * Finds the relations of one object among all objects of its namespace. What it names and is not among them is `NotRead`; of references that may be absent
 * (`optional: true`) only those are given that are there.
 */
export function relatedResourcesOf(
  object: KubeObject,
  others: readonly KubeObject[],
  declared: DeclaredRelations = NO_DECLARED_RELATIONS,
): RelatedResources {
  const index = indexObjects([object, ...others]);
  const edgesFrom = (one: KubeObject): readonly Edge[] => [...edgesOf(one, index), ...declaredEdges(one, index, declared)];
  const down = Map.groupBy(index.objects.filter((one) => one !== object).flatMap(edgesFrom), ({ target }) => target);
  const named = edgesFrom(object).filter(({ target, isOptional }) => target !== undefined || !isOptional);
  const naming = (down.get(object) ?? []).filter(({ holder }) => holder !== object);
  const owned = ownedBy(object, down, [new Set(), 0]);
  const related = [
    ...once(named.filter(isOwner), (edge) => relatedOf(edge, 'Owner')),
    ...once(naming.filter(isOwner), (edge) => relatedOf(edge, 'Owned')),
    ...once(
      named.filter((edge) => !isOwner(edge)),
      (edge) => relatedOf(edge, 'References'),
    ),
    ...once([...naming.filter((edge) => !isOwner(edge)), ...selectorsOf(owned, down)], (edge) => relatedOf(edge, 'ReferencedBy')),
  ];
  return { related, owned };
}

/** Services and budgets select the Pods of a workload, and so the workload. */
function selectorsOf(owned: TreeNode, down: ReadonlyMap<KubeObject | undefined, readonly Edge[]>): Edge[] {
  const uids = new Set(nodesOf(owned).map(({ uid }) => uid));
  return [...down].flatMap(([target, edges]) =>
    target === undefined || !uids.has(uidOf(target)) ? [] : edges.filter((edge) => edge.class === 'Selector'),
  );
}

function isOwner({ class: relation }: Edge): boolean {
  return relation === 'Owner';
}

/** A resource that is named by several fields is there once, by the first of them. */
function once(edges: readonly Edge[], describe: (edge: Edge) => RelatedResource): RelatedResource[] {
  const found = new Map<string, RelatedResource>();
  for (const edge of edges) {
    const one = describe(edge);
    const key = `${one.class} ${one.group}/${one.kind} ${one.namespace ?? ''} ${one.name}`;
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()].toSorted((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name)).slice(0, MAX_RELATED);
}

function relatedOf(edge: Edge, direction: RelatedResource['direction']): RelatedResource {
  const isOut = direction === 'Owner' || direction === 'References';
  const other = isOut ? edge.target : edge.holder;
  const name: ObjectName = other === undefined ? edge.named : nameOf(other);
  const [group = '', kind = ''] = name.kind.split('/');
  const health = other === undefined ? undefined : healthOf(other);
  return {
    direction,
    class: edge.class,
    path: edge.path,
    inferred: edge.inferred,
    group,
    kind,
    ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
    name: name.name,
    state: other === undefined ? 'NotRead' : 'Found',
    ...(health === undefined ? {} : { health }),
  };
}

const DEEPEST = 32;

/** Cycles end, because nothing is visited twice. */
function ownedBy(
  object: KubeObject,
  down: ReadonlyMap<KubeObject | undefined, readonly Edge[]>,
  [visited, depth]: readonly [visited: Set<string>, depth: number],
): TreeNode {
  visited.add(keyOf(nameOf(object)));
  const below = depth === DEEPEST ? [] : (down.get(object) ?? []).filter(isOwner).map(({ holder }) => holder);
  const health = healthOf(object);
  const namespace = namespaceOf(object);
  const children = below.flatMap((child) => (visited.has(keyOf(nameOf(child))) ? [] : [ownedBy(child, down, [visited, depth + 1])]));
  return {
    uid: uidOf(object),
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(health === undefined ? {} : { health }),
    info: '',
    created: object.metadata.creationTimestamp ?? '',
    links: [],
    children,
  };
}
