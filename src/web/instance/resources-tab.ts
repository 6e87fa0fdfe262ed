import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { healthOfNode, matcher, selectNodes, type TreeFilter } from '../../domain/tree/select-nodes.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../domain/tree/tree.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import { emptySentence } from '../page/message-page.ts';
import { graphView, type GraphView } from '../page/graph-view.ts';
import { nodePath, type TreeHrefs, treeRow, type TreeRow, withUnavailable } from '../page/tree-view.ts';
import { type FrameInput, instanceFrame, type InstanceFrame, instanceTabPath, type Tab } from './instance-frame.ts';

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
  readonly refreshHref: string;
}

/** A view of `environments/instances/resources`. */
export interface ResourcesTab extends InstanceFrame {
  readonly live: ResourcesLive;
  readonly streamHref: string;
  readonly action: string;
  readonly view: ResourcesQuery['view'];
  readonly search: string;
  readonly kinds: readonly Choice[];
  readonly healths: readonly Choice[];
  readonly views: readonly Tab[];
  /** The same as JSON. */
  readonly jsonHref: string;
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
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
  const hrefs = hrefsOf(instance, (uid) => hrefOf(path, { ...query, expanded: uid }));
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
    refreshHref: hrefOf(path, query),
  };
}

function countOf(count: number): string {
  return count === 1 ? '1 resource' : `${count} resources`;
}

function hrefsOf(instance: InstanceAddress, foldHref: (uid: string) => string): TreeHrefs {
  return { nodeHref: (node) => nodePath(instance.environment, node), foldHref: ({ uid }) => foldHref(uid) };
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
      ...byName.map(([value, count]) => choice(value, `${value} (${count})`, kind)),
    ],
    healths: [
      { value: '', label: 'Any health', selected: health === undefined },
      ...worstFirst.map(([value, count]) => choice(value, `${value === 'None' ? 'No health' : value} (${count})`, health)),
    ],
  };
}

function countBy<K extends string>(tree: ResourceTree, filter: TreeFilter, keyOf: (node: TreeNode) => K): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const node of nodesOf(tree.root).filter(matcher(filter))) counts.set(keyOf(node), (counts.get(keyOf(node)) ?? 0) + 1);
  return counts;
}

function choice(value: string, label: string, selected: string | undefined): Choice {
  return { value, label, selected: value === selected };
}

function hrefOf(path: string, { view, expanded, kind = '', search = '', ...rest }: ResourcesQuery): string {
  const health = rest.health ?? '';
  const given = Object.entries({ view: view === 'list' ? '' : view, kind, health, search, expanded }).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
