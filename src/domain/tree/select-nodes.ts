import { type ResourceHealth, RESOURCE_HEALTHS } from '../environment/environment-resources.ts';
import type { ResourceTree, TreeNode } from './tree.ts';

/** What part of a tree somebody looks at. */
export interface TreeFilter {
  /** `Pod`, of whatever API group. */
  readonly kind?: string;
  readonly health?: ResourceHealth;
  /** Must occur in the name or the kind, in any letter case. */
  readonly search?: string;
}

/** A resource that is drawn. */
export interface DrawnNode {
  readonly node: TreeNode;
  /** Whether it matches the filter; others are drawn because something below them does. */
  readonly isMatch: boolean;
  readonly children: readonly DrawnNode[];
  readonly folds: readonly Fold[];
}

/** Many resources of one kind below one parent, summarised in a line. */
export interface Fold {
  readonly kind: string;
  readonly count: number;
  /** How many resources stand below them. */
  readonly below: number;
  /** How many of all these match the filter. */
  readonly matched: number;
  /** How many there are of each health, that of what stands below them included, the worst first. */
  readonly health: readonly (readonly [ResourceHealth, number])[];
}

export interface TreeSelection {
  readonly root: DrawnNode;
  /** Resources of the tree. */
  readonly total: number;
  /** Those of them that match the filter. */
  readonly matched: number;
  /** Those that match and are neither drawn nor in a fold, because there are too many. */
  readonly hidden: number;
}

export interface SelectionInput {
  readonly filter: TreeFilter;
  /** The uid of a resource below which nothing is folded; empty for none. */
  readonly expanded: string;
}

/** Nodes that are drawn at most. */
const MAX_NODES = 500;
/** More siblings of a kind are folded, all but so many of the worst. */
const MAX_SIBLINGS = 12;
const SHOWN_SIBLINGS = 5;

/** The resources that are drawn of a tree: what matches, with what stands above it; large groups of siblings are folded, and beyond 500 the worst are drawn. */
export function selectNodes({ root }: Pick<ResourceTree, 'root'>, { filter, expanded }: SelectionInput): TreeSelection {
  const matches = matcher(filter);
  const top = entryOf(root, undefined, matches);
  const visible: Entry[] = [];
  foldBelow(top, { expanded, visible });
  const drawn = visible.length <= MAX_NODES ? new Set(visible) : worstOf(visible);
  const shown = [...drawn].reduce((sum, { isMatch, folds }) => folds.reduce((all, fold) => all + fold.matched, sum + (isMatch ? 1 : 0)), 0);
  return { root: drawnOf(top, drawn), total: top.below + 1, matched: top.matched, hidden: top.matched - shown };
}

/** The same tree with only what matches and what stands above it, and the number of what matches. */
export function filterTree(tree: ResourceTree, filter: TreeFilter): ResourceTree {
  const top = entryOf(tree.root, undefined, matcher(filter));
  const prune = ({ node, children }: Entry): TreeNode => ({ ...node, children: children.map(prune) });
  return { ...tree, root: prune(top), matched: top.matched };
}

export function healthOfNode({ health }: Pick<TreeNode, 'health'>): ResourceHealth {
  return health?.status ?? 'None';
}

/** Whether a resource matches a filter. */
export function matcher({ kind, health, search = '' }: TreeFilter): (node: TreeNode) => boolean {
  const word = search.trim().toLowerCase();
  return (node) =>
    (kind === undefined || node.kind === kind) &&
    (health === undefined || healthOfNode(node) === health) &&
    (word === '' || node.name.toLowerCase().includes(word) || node.kind.toLowerCase().includes(word));
}

/** A resource with what its place in the selection follows from. */
interface Entry {
  readonly node: TreeNode;
  readonly above: Entry | undefined;
  readonly depth: number;
  readonly isMatch: boolean;
  /** Those that match, or have something below them that does, and are not folded. */
  children: Entry[];
  readonly folds: Fold[];
  /** Rank of the worst health in it and below it. */
  worst: number;
  /** Resources below it, whether they match or not. */
  below: number;
  /** Resources that match, it included. */
  matched: number;
}

function entryOf(node: TreeNode, above: Entry | undefined, matches: (node: TreeNode) => boolean): Entry {
  const isMatch = matches(node);
  const depth = above === undefined ? 0 : above.depth + 1;
  const entry: Entry = {
    node,
    above,
    depth,
    isMatch,
    children: [],
    folds: [],
    worst: rankOf(healthOfNode(node)),
    below: 0,
    matched: isMatch ? 1 : 0,
  };
  for (const child of node.children) {
    const one = entryOf(child, entry, matches);
    entry.below += one.below + 1;
    if (one.matched === 0) continue;
    entry.matched += one.matched;
    entry.worst = Math.max(entry.worst, one.worst);
    entry.children.push(one);
  }
  return entry;
}

/** From best to worst; what has no health is better than all. */
function rankOf(health: ResourceHealth): number {
  return health === 'None' ? -1 : RESOURCE_HEALTHS.indexOf(health);
}

function foldBelow(entry: Entry, input: { readonly expanded: string; readonly visible: Entry[] }): void {
  input.visible.push(entry);
  const groups = Map.groupBy(entry.children, ({ node }) => node.kind);
  const gone = new Set<Entry>();
  for (const [kind, siblings] of groups) {
    if (siblings.length <= MAX_SIBLINGS || entry.node.uid === input.expanded) continue;
    const worstFirst = siblings.toSorted((a, b) => b.worst - a.worst);
    const sick = worstFirst.filter(({ worst }) => worst > rankOf('Healthy')).length;
    const folded = worstFirst.slice(Math.max(SHOWN_SIBLINGS, Math.min(MAX_SIBLINGS, sick)));
    if (folded.length === 0) continue;
    entry.folds.push(foldOf(kind, folded));
    for (const one of folded) gone.add(one);
  }
  if (gone.size > 0) entry.children = entry.children.filter((child) => !gone.has(child));
  for (const child of entry.children) foldBelow(child, input);
}

function foldOf(kind: string, folded: readonly Entry[]): Fold {
  const byRank = Map.groupBy(folded, ({ worst }) => worst);
  return {
    kind,
    count: folded.length,
    below: folded.reduce((sum, { below }) => sum + below, 0),
    matched: folded.reduce((sum, { matched }) => sum + matched, 0),
    health: [...byRank].sort(([a], [b]) => b - a).map(([rank, same]) => [RESOURCE_HEALTHS[rank] ?? 'None', same.length] as const),
  };
}

/** The worst, with everything that they stand below; of equal ones those nearer to the root. */
function worstOf(visible: readonly Entry[]): ReadonlySet<Entry> {
  const own = ({ node }: Entry): number => rankOf(healthOfNode(node));
  const drawn = new Set<Entry>();
  for (const entry of visible.toSorted((a, b) => own(b) - own(a) || a.depth - b.depth)) {
    const path: Entry[] = [];
    for (let one: Entry | undefined = entry; one !== undefined && !drawn.has(one); one = one.above) path.push(one);
    if (drawn.size + path.length > MAX_NODES) continue;
    for (const one of path) drawn.add(one);
  }
  return drawn;
}

function drawnOf({ node, isMatch, children, folds }: Entry, drawn: ReadonlySet<Entry>): DrawnNode {
  return { node, isMatch, folds, children: children.filter((child) => drawn.has(child)).map((child) => drawnOf(child, drawn)) };
}
