import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { type GraphBox, type GraphEdge, layoutGraph } from '../../domain/tree/graph-layout.ts';
import { type DrawnNode, healthOfNode, matcher, selectNodes, type TreeFilter } from '../../domain/tree/select-nodes.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../domain/tree/tree.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import { type Badge, healthBadge } from '../page/badges.ts';
import { emptySentence } from '../page/message-page.ts';
import { hrefWith } from '../page/paths.ts';
import {
  foldText,
  nodePath,
  placeOutside,
  releaseNote,
  type ReleaseNote,
  type TreeHrefs,
  type TreePlace,
  treePlace,
  type TreeRow,
  treeRow,
  withUnavailable,
} from '../page/tree-view.ts';
import { type FrameInput, instanceFrame, type InstanceFrame, instanceTabPath, type Tab } from './instance-frame.ts';
import { type SelectOption, selectOption } from '../page/facets.ts';

/** What an address of the tab asks for. */
interface ResourcesQuery extends TreeFilter {
  readonly view: 'list' | 'graph';
  /** The uid of a resource below which nothing is folded; empty for none. */
  readonly expanded: string;
}

/** What changes while somebody looks: a view of `environments/instances/resources-live`. */
export interface ResourcesLive {
  /** `12 of 340 resources match` */
  readonly resultLine: string;
  readonly isFiltered: boolean;
  readonly clearHref: string;
  /** One of the two, and neither when nothing matches. */
  readonly tree?: TreeRow;
  readonly graph?: GraphView;
  /** How many that match are not shown. */
  readonly hidden: number;
  readonly unreadable: readonly string[];
  /** Why there is nothing below the root; empty when there is. */
  readonly empty: string;
  readonly release?: ReleaseNote;
  readonly refreshHref: string;
}

/** A view of `environments/instances/resources`. */
export interface ResourcesTab extends InstanceFrame {
  readonly live: ResourcesLive;
  readonly streamHref: string;
  readonly action: string;
  readonly view: ResourcesQuery['view'];
  readonly search: string;
  readonly kinds: readonly SelectOption[];
  readonly healths: readonly SelectOption[];
  readonly views: readonly Tab[];
  /** The same as JSON. */
  readonly jsonHref: string;
}

const MAX_TEXT_LENGTH = 200;

/** What is no such value counts as none. */
function parseQuery(parameters: URLSearchParams): ResourcesQuery {
  const textOf = (key: string): string => (parameters.get(key) ?? '').trim().slice(0, MAX_TEXT_LENGTH);
  const health = RESOURCE_HEALTHS.find((one) => one === parameters.get('health'));
  const [kind, search] = [textOf('kind'), textOf('search')];
  return {
    view: parameters.get('view') === 'graph' ? 'graph' : 'list',
    expanded: textOf('expanded'),
    ...(kind === '' ? {} : { kind }),
    ...(health === undefined ? {} : { health }),
    ...(search === '' ? {} : { search }),
  };
}

export function resourcesTab(reading: InstanceReading, around: Omit<FrameInput, 'instance'>, parameters: URLSearchParams): ResourcesTab {
  const { instance, tree } = reading;
  const query = parseQuery(parameters);
  const { view, expanded: _expanded, ...filter } = query;
  const path = instanceTabPath(instance, 'resources');
  return {
    ...instanceFrame({ instance, ...around }, 'resources'),
    live: resourcesLive(reading, parameters),
    streamHref: hrefOf(`${path}/stream`, query),
    action: path,
    view,
    search: query.search ?? '',
    ...choicesOf(tree, filter),
    views: (['list', 'graph'] as const).map((one) => ({
      label: one === 'list' ? 'List' : 'Graph',
      href: hrefOf(path, { ...query, view: one }),
      current: one === view,
    })),
    jsonHref: hrefOf(`/api/v1${path.replace(/\/resources$/, '/tree')}`, { ...filter, view: 'list', expanded: '' }),
  };
}

export function resourcesLive({ instance, tree }: InstanceReading, parameters: URLSearchParams): ResourcesLive {
  const query = parseQuery(parameters);
  const { view, expanded, ...filter } = query;
  const path = instanceTabPath(instance, 'resources');
  const { root, total, matched, hidden } = selectNodes(tree, { filter, expanded });
  const isFiltered = Object.keys(filter).length > 0;
  const hrefs = hrefsOf(treePlace(instance, tree.root), (uid) => hrefOf(path, { ...query, expanded: uid }));
  const drawing =
    view === 'graph'
      ? { graph: graphView(root, hrefs) }
      : { tree: withUnavailable(treeRow(root, hrefs), isFiltered ? [] : tree.unavailable) };
  return {
    resultLine: isFiltered ? `${matched} of ${countOf(total)} match` : countOf(total),
    isFiltered,
    clearHref: hrefOf(path, { view, expanded: '' }),
    ...(matched === 0 ? {} : drawing),
    hidden,
    unreadable: tree.unreadable,
    empty: emptySentence(tree.empty),
    ...(tree.release === undefined ? {} : { release: releaseNote(tree.release) }),
    refreshHref: hrefOf(path, query),
  };
}

function countOf(count: number): string {
  return count === 1 ? '1 resource' : `${count} resources`;
}

function hrefsOf(place: TreePlace, foldHref: (uid: string) => string): TreeHrefs {
  return {
    nodeHref: (node) => nodePath(place, node),
    foldHref: ({ uid }) => foldHref(uid),
    placeOf: (node) => placeOutside(place.namespace, node),
  };
}

/** The kinds and healths of a tree, each with the number that it would leave with the other filters. */
function choicesOf(tree: ResourceTree, { kind, health, search }: TreeFilter): Pick<ResourcesTab, 'kinds' | 'healths'> {
  const searched = search === undefined ? {} : { search };
  const kinds = countBy(tree, { ...searched, ...(health === undefined ? {} : { health }) }, (node) => node.kind);
  const healths = countBy(tree, { ...searched, ...(kind === undefined ? {} : { kind }) }, healthOfNode);
  const byName = [...kinds].sort(([a], [b]) => a.localeCompare(b));
  const worstFirst = [...healths].sort(([a], [b]) => RESOURCE_HEALTHS.indexOf(b) - RESOURCE_HEALTHS.indexOf(a));
  return {
    kinds: [
      { value: '', label: 'All kinds', selected: kind === undefined },
      ...byName.map(([value, count]) => selectOption(value, `${value} (${count})`, kind)),
    ],
    healths: [
      { value: '', label: 'Any health', selected: health === undefined },
      ...worstFirst.map(([value, count]) => selectOption(value, `${value === 'None' ? 'No health' : value} (${count})`, health)),
    ],
  };
}

function countBy<K extends string>(tree: ResourceTree, filter: TreeFilter, keyOf: (node: TreeNode) => K): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const node of nodesOf(tree.root).filter(matcher(filter))) counts.set(keyOf(node), (counts.get(keyOf(node)) ?? 0) + 1);
  return counts;
}

function hrefOf(path: string, { view, expanded, kind, health, search }: ResourcesQuery): string {
  return hrefWith(path, { view: view === 'list' ? '' : view, kind, health, search, expanded });
}

/** A view of `parts/tree-graph`: an SVG of boxes and lines, with all texts cut to fit. */
interface GraphView {
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

function graphView(root: DrawnNode, hrefs: TreeHrefs): GraphView {
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
