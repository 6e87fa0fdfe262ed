import { parseApiVersion } from '../kubernetes/resource.ts';
import type { DrawnNode, Fold } from './select-nodes.ts';
import type { TreeEdge, TreeLink } from './tree.ts';

/** A drawing of a tree from left to right; all lengths in pixels. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly GraphBox[];
  readonly edges: readonly GraphEdge[];
}

/** A resource or a fold, by the upper left corner of its box. */
export interface GraphBox {
  readonly x: number;
  readonly y: number;
  readonly item: { readonly drawn: DrawnNode } | { readonly fold: Fold; readonly parent: DrawnNode };
}

/** A line from the right side of a parent to the left side of its child, or between two that are related otherwise. */
export interface GraphEdge {
  /** The data of an SVG path. */
  readonly path: string;
  /** `Tree`: from a parent to its child; `Link`: a further relation. */
  readonly kind: 'Tree' | 'Link';
  /** Absent for the line to a fold. */
  readonly relation?: Pick<TreeEdge, 'class' | 'inferred'>;
  /** Where the line ends. */
  readonly end: Point;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** As `views/parts/tree-graph` draws it. */
const BOX = { width: 260, height: 52 } as const;
const GAP = { column: 108, row: 12 } as const;
const MARGIN = 12;
/** Further relations are many and say less. */
const MAX_LINKS = 200;

/** Lays a tree out in columns by depth; each parent stands beside its first child, so that the root is where people begin to read, and no two boxes touch. */
export function layoutGraph(root: DrawnNode): GraphLayout {
  const boxes: GraphBox[] = [];
  const edges: GraphEdge[] = [];
  let rows = 0;
  const nextRow = (): number => MARGIN + rows++ * (BOX.height + GAP.row);
  const place = (drawn: DrawnNode, depth: number): GraphBox => {
    const x = MARGIN + depth * (BOX.width + GAP.column);
    const below: GraphBox[] = drawn.children.map((child) => place(child, depth + 1));
    for (const fold of drawn.folds) {
      const box: GraphBox = { x: x + BOX.width + GAP.column, y: nextRow(), item: { fold, parent: drawn } };
      boxes.push(box);
      below.push(box);
    }
    const y = below[0]?.y ?? nextRow();
    const box: GraphBox = { x, y, item: { drawn } };
    boxes.push(box);
    for (const child of below) edges.push(treeEdge(box, child));
    return box;
  };
  place(root, 0);
  edges.push(...linkEdges(boxes));
  return {
    width: Math.max(...boxes.map(({ x }) => x)) + BOX.width + MARGIN,
    height: MARGIN + rows * (BOX.height + GAP.row) - GAP.row + MARGIN,
    boxes,
    edges,
  };
}

function treeEdge(parent: GraphBox, child: GraphBox): GraphEdge {
  const edge = 'drawn' in child.item ? child.item.drawn.node.edge : undefined;
  return {
    kind: 'Tree',
    path: curve(rightOf(parent), leftOf(child)),
    ...(edge === undefined ? {} : { relation: edge }),
    end: leftOf(child),
  };
}

/** Lines for the further relations between what is drawn. */
function linkEdges(boxes: readonly GraphBox[]): GraphEdge[] {
  const byName = new Map(
    boxes.flatMap((box) => {
      if (!('drawn' in box.item)) return [];
      const { apiVersion, kind, namespace, name } = box.item.drawn.node;
      return [[nameKey({ group: parseApiVersion(apiVersion).group, kind, name, ...(namespace === undefined ? {} : { namespace }) }), box]];
    }),
  );
  const links = boxes.flatMap((box) => ('drawn' in box.item ? box.item.drawn.node.links.map((link) => ({ box, link })) : []));
  return links
    .flatMap(({ box, link }): GraphEdge[] => {
      const target = byName.get(nameKey(link));
      if (target === undefined || target === box) return [];
      const [from, to] =
        target.x < box.x ? [leftOf(box), rightOf(target)] : [rightOf(box), target.x > box.x ? leftOf(target) : rightOf(target)];
      return [{ kind: 'Link', path: curve(from, to), relation: link, end: to }];
    })
    .slice(0, MAX_LINKS);
}

function nameKey({ group, kind, namespace = '', name }: Pick<TreeLink, 'group' | 'kind' | 'namespace' | 'name'>): string {
  return `${group}/${kind} ${namespace} ${name}`;
}

function rightOf({ x, y }: Point): Point {
  return { x: x + BOX.width, y: y + BOX.height / 2 };
}

function leftOf({ x, y }: Point): Point {
  return { x, y: y + BOX.height / 2 };
}

/** Leaves to the side that it comes from; two boxes of one column are joined by an arc on their right. */
function curve(from: Point, to: Point): string {
  if (from.x === to.x) return `M${from.x} ${from.y}C${from.x + GAP.column / 2} ${from.y} ${to.x + GAP.column / 2} ${to.y} ${to.x} ${to.y}`;
  const middle = (from.x + to.x) / 2;
  return `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
}
