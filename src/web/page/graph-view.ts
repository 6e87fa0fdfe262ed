import { type GraphBox, type GraphEdge, layoutGraph } from '../../domain/tree/graph-layout.ts';
import type { DrawnNode } from '../../domain/tree/select-nodes.ts';
import { type Badge, healthBadge } from './badges.ts';
import { foldText, type TreeHrefs } from './tree-view.ts';

/** A view of `parts/tree-graph`: an SVG of boxes and lines, with all texts cut to fit. */
export interface GraphView {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly {
    readonly path: string;
    /** `tree`, `inferred` or `link` */
    readonly look: string;
    /** The class of the relation, at the end of the line; empty for owner references and links. */
    readonly label: string;
    readonly x: number;
    readonly y: number;
  }[];
  readonly boxes: readonly BoxView[];
}

interface BoxView {
  readonly transform: string;
  readonly kind: string;
  readonly name: string;
  /** The width into which a long text is pressed. */
  readonly kindLength?: number;
  readonly nameLength?: number;
  /** Empty for what has no page. */
  readonly href: string;
  /** `good`, `bad`, … or `none`; a fold is `fold`. */
  readonly look: string;
  readonly health?: Badge;
}

export function graphView(root: DrawnNode, hrefs: TreeHrefs): GraphView {
  const { width, height, boxes, edges } = layoutGraph(root);
  return { width, height, lines: edges.map(lineView), boxes: boxes.map((box) => boxView(box, hrefs)) };
}

function lineView({ path, kind, relation, end }: GraphEdge): GraphView['lines'][number] {
  const inferred = relation?.inferred === true ? 'inferred' : 'tree';
  const label = kind === 'Tree' && relation?.inferred === true ? relation.class : '';
  return { path, look: kind === 'Link' ? 'link' : inferred, label, x: Math.round(end.x) - 6, y: Math.round(end.y) - 5 };
}

function boxView({ x, y, item }: GraphBox, hrefs: TreeHrefs): BoxView {
  const transform = `translate(${x} ${y})`;
  if ('fold' in item) {
    const [what = '', rest = ''] = foldText(item.fold).split(/(?<=more \S+)[,:]? /);
    return { transform, ...texts({ kind: rest, name: what, kindWidth: WIDTH.name }), href: hrefs.foldHref(item.parent.node), look: 'fold' };
  }
  const { node, isMatch } = item.drawn;
  const health = node.health === undefined ? undefined : healthBadge(node.health.status);
  return {
    transform,
    ...texts({ kind: node.kind, name: node.name, kindWidth: health === undefined ? WIDTH.name : WIDTH.kind }),
    href: hrefs.nodeHref(node),
    look: `${health?.tone ?? 'none'}${isMatch ? '' : ' graph__box--context'}`,
    ...(health === undefined ? {} : { health }),
  };
}

/** What texts may take, and what a character takes at most, in pixels. */
const WIDTH = { kind: 140, name: 240, kindCharacter: 6.9, nameCharacter: 8.2 } as const;
const MAX_NAME_LENGTH = 80;

interface TextInput {
  readonly kind: string;
  readonly name: string;
  readonly kindWidth: number;
}

/** Names are pressed together rather than cut: pods of one workload differ at their ends. */
function texts({ kind, name, kindWidth }: TextInput): Pick<BoxView, 'kind' | 'name' | 'kindLength' | 'nameLength'> {
  const shown = name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 11)}…${name.slice(-10)}`;
  return {
    kind,
    name: shown,
    ...(kind.length * WIDTH.kindCharacter > kindWidth ? { kindLength: kindWidth } : {}),
    ...(shown.length * WIDTH.nameCharacter > WIDTH.name ? { nameLength: WIDTH.name } : {}),
  };
}
