import type { ResourceTree, TreeNode, UnavailableKind } from '../../domain/tree/tree.ts';
import { type Badge, healthBadge } from './badges.ts';

/** A view of `parts/tree-node`. */
export interface TreeRow {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion: string;
  readonly info: string;
  readonly created: string;
  /** Absent when its kind has no health. */
  readonly health?: Badge;
  readonly message: string;
  readonly children: readonly TreeRow[];
}

/** @param unavailable stand below the root, as rows of their own, because what they hold may belong there. */
export function treeRow(node: TreeNode, unavailable: readonly UnavailableKind[] = []): TreeRow {
  const { kind, name, apiVersion, info, created, health } = node;
  return {
    kind,
    name,
    apiVersion,
    info,
    created,
    ...(health === undefined ? {} : { health: healthBadge(health.status) }),
    message: health !== undefined && health.status !== 'Healthy' ? health.message : '',
    children: [...node.children.map((child) => treeRow(child)), ...unavailable.map(unavailableRow)],
  };
}

function unavailableRow({ kind, apiVersion, message }: UnavailableKind): TreeRow {
  return { kind, name: 'cannot be listed', apiVersion, info: '', created: '', health: healthBadge('Unknown'), message, children: [] };
}

/** A tree of at most so many rows, so that no page grows without end. */
export interface BoundedTree {
  readonly tree: TreeRow;
  /** Resources of the whole tree, its root aside. */
  readonly count: number;
  /** How many of them are not shown. */
  readonly hidden: number;
}

const MOST_ROWS = 500;

/** Level by level, so that what stands near the root is there in any case. */
export function boundedTree({ root, unavailable }: Pick<ResourceTree, 'root' | 'unavailable'>, most = MOST_ROWS): BoundedTree {
  const shown = new Set<TreeNode>();
  let count = -1;
  for (let level: readonly TreeNode[] = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    count += level.length;
    for (const node of level) if (shown.size < most) shown.add(node);
  }
  const only = (node: TreeNode): TreeNode => ({ ...node, children: node.children.filter((child) => shown.has(child)).map(only) });
  return { tree: treeRow(only(root), unavailable), count, hidden: count + 1 - shown.size };
}
