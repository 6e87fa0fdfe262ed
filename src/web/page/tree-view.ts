import { dedicatedNamespaceOf } from '../../domain/app-instance/instance.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { listInShort } from '../../domain/core/name-words.ts';
import { guessedPlural } from '../../domain/catalog/app-references.ts';
import type { DrawnNode, Fold } from '../../domain/tree/select-nodes.ts';
import type { RelationClass } from '../../domain/tree/relations.ts';
import type { OperatorTree, TreeEdge, TreeNode, TreeRelease, UnavailableKind } from '../../domain/tree/tree.ts';
import { type Badge, healthBadge } from './badges.ts';
import { missingSentence } from './message-page.ts';
import { resourcePath } from './paths.ts';

/** A view of `parts/tree-node`. */
export interface TreeRow {
  readonly kind: string;
  readonly name: string;
  /** Where it is, when that is elsewhere than the release or the environment: a namespace, or `cluster-wide`. */
  readonly place?: string;
  readonly apiVersion: string;
  readonly info: string;
  readonly created: string;
  /** Absent when its kind has no health. */
  readonly health?: Badge;
  readonly message: string;
  /** Why it stands below its parent, where no owner reference says so. */
  readonly because?: Because;
  /** Its page; empty where it has none. */
  readonly href: string;
  /** Whether it is there only because of what stands below it. */
  readonly isContext: boolean;
  readonly links: readonly LinkRow[];
  readonly children: readonly (TreeRow | FoldRow)[];
}

interface FoldRow {
  /** `48 more Pods, all Healthy`, and where they are shown. */
  readonly fold: { readonly text: string; readonly href: string };
}

/** A relation in words, and the field that it is read from. */
interface Because {
  readonly words: string;
  readonly path: string;
}

/** Further relations of one class to one kind. */
interface LinkRow {
  readonly label: string;
  readonly kind: string;
  readonly names: string;
  readonly path: string;
  /** Present when they are not there. */
  readonly missing?: Badge;
}

/** Which namespaces have pages for their resources. */
export interface TreePlace {
  readonly environment: string;
  /** That of the environment. */
  readonly namespace: string | undefined;
  /** That of the instance alone. */
  readonly dedicated?: { readonly namespace: string; readonly to: string };
}

/** The place of an instance: the namespace of its environment, and its own one. */
export function treePlace({ environment, app, name, object }: InstanceView, { namespace }: Pick<TreeNode, 'namespace'>): TreePlace {
  const own = dedicatedNamespaceOf(object);
  return { environment, namespace, ...(own === undefined ? {} : { dedicated: { namespace: own, to: `${app}/${name}` } }) };
}

/** The page of a resource; empty for what has none, and for what is elsewhere. */
export function nodePath(
  { environment, namespace, dedicated }: TreePlace,
  node: Pick<TreeNode, 'namespace' | 'resource' | 'name' | 'uid'>,
): string {
  const { resource, name, uid } = node;
  if (resource === undefined || uid === '' || node.namespace === undefined) return '';
  if (node.namespace === namespace) return resourcePath(environment, { resource, name });
  return node.namespace === dedicated?.namespace ? resourcePath(environment, { resource, name, dedicatedTo: dedicated.to }) : '';
}

/** Where a resource is, when that is not in this namespace. */
export function placeOutside(namespace: string | undefined, { edge, namespace: own }: TreeNode): string {
  return edge === undefined || own === namespace ? '' : (own ?? 'cluster-wide');
}

/** Where the resources and the folds of a tree lead. */
export interface TreeHrefs {
  nodeHref(node: TreeNode): string;
  foldHref(parent: TreeNode): string;
  /** See `placeOutside`. */
  placeOf(node: TreeNode): string;
}

/** A resource with everything that is drawn below it. */
export function treeRow({ node, isMatch, children, folds }: DrawnNode, hrefs: TreeHrefs): TreeRow {
  const { kind, name, apiVersion, info, created, health } = node;
  const place = hrefs.placeOf(node);
  return {
    kind,
    name,
    ...(place === '' ? {} : { place }),
    apiVersion,
    info,
    created,
    ...(health === undefined ? {} : { health: healthBadge(health.status) }),
    message: health !== undefined && health.status !== 'Healthy' ? health.message : '',
    ...(node.edge?.inferred === true ? { because: because(node.edge) } : {}),
    href: hrefs.nodeHref(node),
    isContext: !isMatch,
    links: linkRows(node),
    children: [
      ...children.map((child) => treeRow(child, hrefs)),
      ...folds.map((fold) => ({ fold: { text: foldText(fold), href: hrefs.foldHref(node) } })),
    ],
  };
}

/** `48 more Pods, all Healthy`; `12 more Deployments with 24 resources below: 10 Healthy, 2 Progressing` */
export function foldText({ kind, count, below, health }: Fold): string {
  const what = `${count} more ${count === 1 ? kind : guessedPlural(kind)}${below === 0 ? '' : ` with ${below} resources below`}`;
  const known = health.filter(([status]) => status !== 'None');
  const [only] = known;
  if (only === undefined) return what;
  if (known.length === 1 && only[1] === count) return `${what}, ${count === 1 ? '' : 'all '}${only[0]}`;
  return `${what}: ${known.map(([status, number]) => `${number} ${status}`).join(', ')}`;
}

/** Kinds that cannot be listed stand below the root as rows of their own, because what they hold may belong there. */
export function withUnavailable(row: TreeRow, unavailable: readonly UnavailableKind[]): TreeRow {
  return { ...row, children: [...row.children, ...unavailable.map(unavailableRow)] };
}

function unavailableRow({ kind, apiVersion, message }: UnavailableKind): TreeRow {
  return {
    kind,
    name: 'cannot be listed',
    apiVersion,
    info: '',
    created: '',
    health: healthBadge('Unknown'),
    message,
    href: '',
    isContext: false,
    links: [],
    children: [],
  };
}

/** What a resource does to another one by a field of its own, and what is done to it by a field of its parent. */
const WORDS: Readonly<Record<RelationClass, readonly [active: string, passive: string]>> = {
  Owner: ['owned by', 'owned'],
  ReleaseManifest: ['belongs to the release of', 'in the release manifest'],
  Label: ['labelled for', 'labelled'],
  Annotation: ['annotated for', 'annotated'],
  Reference: ['refers to', 'referred to'],
  EndpointSlice: ['endpoints of', 'endpoints'],
  Selector: ['selects', 'selected'],
  Backend: ['routes to', 'routed to'],
  ParentRef: ['attached to', 'attached'],
  ReferenceGrant: ['allows references to', 'allowed'],
  ScaleTarget: ['scales', 'scaled'],
  VolumeClaim: ['claims', 'claimed'],
  Mount: ['mounts', 'mounted'],
  EnvFrom: ['reads variables from', 'variables read'],
  ImagePullSecret: ['pulls images with', 'used to pull images'],
  ServiceAccount: ['runs as', 'used as account'],
  TLS: ['uses the certificate in', 'certificate used'],
  Volume: ['bound to', 'bound'],
};

/** What the holder of a field does to what the field names, and what is done to that. */
export function relationWords(relation: RelationClass): readonly [active: string, passive: string] {
  return WORDS[relation];
}

function because({ class: relation, path, fieldOf }: TreeEdge): Because {
  if (relation === 'ReleaseManifest') return { words: fieldOf === 'Parent' ? 'release manifest' : 'release, by', path };
  const [active, passive] = WORDS[relation];
  return { words: fieldOf === 'Parent' ? `${passive} by` : `${active} it by`, path };
}

/** A view of `parts/release-note`: the Helm release of a tree, and what of it is not known. */
export interface ReleaseNote {
  /** `team-a/shop` */
  readonly name: string;
  readonly missing: readonly string[];
}

export function releaseNote({ namespace, name, missing }: TreeRelease): ReleaseNote {
  return { name: `${namespace}/${name}`, missing: missing.map(missingSentence) };
}

/** A few names stand for all. */
const MAX_NAMES = 3;

function linkRows({ links }: TreeNode): LinkRow[] {
  const rows = Map.groupBy(links, ({ class: relation, kind, state }) => `${relation} ${kind} ${state}`);
  return [...rows.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const names = listInShort(
      same.map(({ name }) => name),
      MAX_NAMES,
    );
    return [
      {
        label: WORDS[first.class][0],
        kind: first.kind,
        names,
        path: first.path,
        ...(first.state === 'Missing' ? { missing: healthBadge('Missing') } : {}),
      },
    ];
  });
}

/** A tree of at most so many rows, so that no page grows without end. */
export interface BoundedTree {
  readonly tree: TreeRow;
  /** Resources of the whole tree, its root aside. */
  readonly count: number;
  /** How many of them are not shown. */
  readonly hidden: number;
}

const MAX_ROWS = 500;

/** Level by level, so that what stands near the root is there in any case. */
export function boundedTree(
  { root, unavailable, namespace }: Pick<OperatorTree, 'root' | 'unavailable' | 'namespace'>,
  most = MAX_ROWS,
): BoundedTree {
  const shown = new Set<TreeNode>();
  let count = -1;
  for (let level: readonly TreeNode[] = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    count += level.length;
    for (const node of level) if (shown.size < most) shown.add(node);
  }
  const only = (node: TreeNode): DrawnNode => {
    return { node, isMatch: true, folds: [], children: node.children.filter((child) => shown.has(child)).map(only) };
  };
  const row = treeRow(only(root), {
    nodeHref: () => '',
    foldHref: () => '',
    placeOf: (node) => placeOutside(namespace, node),
  });
  return { tree: withUnavailable(row, unavailable), count, hidden: count + 1 - shown.size };
}
