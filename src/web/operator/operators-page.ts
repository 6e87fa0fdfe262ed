import type { InstanceCount } from '../../domain/operator/operator-instances.ts';
import {
  OPERATOR_STATES,
  type OperatorFilter,
  type OperatorList,
  type OperatorState,
  orderKey,
} from '../../domain/operator/operator-list.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { type Page, pageByKey } from '../../domain/core/page-by-key.ts';
import { type Badge, operatorBadge, stateBadge } from '../page/badges.ts';
import { hrefWith, operatorPath } from '../page/paths.ts';
import type { SelectOption } from '../page/facets.ts';

/** Operators on one page. */
const OPERATORS_A_PAGE = 50;

/** By the names of CustomResourceDefinitions. */
export type Counts = Readonly<Record<string, InstanceCount>>;

/** A row of the list of Operators. */
export interface OperatorRow {
  readonly href: string;
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  readonly status: Badge;
  readonly chart: string;
  readonly version: string;
  /** A newer version on offer; empty when there is none. */
  readonly available: string;
  /** The first few. */
  readonly kinds: readonly string[];
  readonly moreKinds: number;
  readonly instances: CountText;
  readonly message: string;
}

/** A number, or why there is none. */
export interface CountText {
  /** Empty when it is not known. */
  readonly text: string;
  readonly why: string;
}

export interface StateLink {
  readonly label: string;
  readonly count: number;
  readonly href: string;
  readonly selected: boolean;
  readonly badge?: Badge;
}

/** What changes while somebody looks. A view of `operators/list`. */
export interface OperatorsLive {
  readonly states: readonly StateLink[];
  readonly rows: readonly OperatorRow[];
  /** `12 of 200 Operators`. */
  readonly resultLine: string;
  readonly filtered: boolean;
  readonly clearHref: string;
  readonly nextHref: string;
  readonly firstHref: string;
  readonly empty: 'no' | 'no-operators' | 'no-match';
  readonly noMatch: string;
}

export interface OperatorsPage {
  readonly search: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly categories: readonly SelectOption[];
  readonly live: OperatorsLive;
  readonly streamHref: string;
}

/** What an address asks for. */
export interface OperatorsQuery extends OperatorFilter {
  readonly after?: string;
}

/** The query in an address; unknown states are left out. */
export function parseOperatorsQuery(parameters: URLSearchParams): OperatorsQuery {
  const after = parameters.get('after');
  return {
    search: (parameters.get('search') ?? '').trim().slice(0, 200),
    state: parameters.getAll('state').filter(isState),
    category: parameters.getAll('category').filter((category) => category !== ''),
    upgrade: parameters.get('upgrade') === 'available' ? 'available' : 'any',
    ...(after === null || after === '' ? {} : { after }),
  };
}

function isState(text: string): text is OperatorState {
  return OPERATOR_STATES.some((state) => state === text);
}

/** The Operators of the page that a query names, those that need somebody first. */
export function pageOfOperators(list: OperatorList, { after }: OperatorsQuery): Page<OperatorView> {
  const keyOf = (operator: OperatorView): string => orderKey(operator, 'problems');
  return pageByKey(list.operators, keyOf, { limit: OPERATORS_A_PAGE, ...(after === undefined ? {} : { after }) });
}

export function operatorsPage(list: OperatorList, counts: Counts, query: OperatorsQuery): OperatorsPage {
  return {
    search: query.search,
    kept: [
      ...query.state.map((value) => ({ name: 'state', value })),
      ...(query.upgrade === 'available' ? [{ name: 'upgrade', value: 'available' }] : []),
    ],
    categories: [
      { value: '', label: 'Every category', selected: query.category.length === 0 },
      ...list.categories.map(({ value, count }) => ({ value, label: `${value} (${count})`, selected: query.category.includes(value) })),
    ],
    live: operatorsLive(list, counts, query),
    streamHref: operatorsHref(query, '/operators/stream'),
  };
}

export function operatorsLive(list: OperatorList, counts: Counts, query: OperatorsQuery): OperatorsLive {
  const page = pageOfOperators(list, query);
  const { after: _after, ...first } = query;
  const filtered = query.search !== '' || query.state.length > 0 || query.category.length > 0 || query.upgrade === 'available';
  return {
    states: stateLinks(list, query),
    rows: page.items.map((operator) => operatorRow(operator, counts)),
    resultLine: resultLine(list, filtered),
    filtered,
    clearHref: '/operators',
    nextHref: page.next === undefined ? '' : operatorsHref({ ...first, after: page.next }),
    firstHref: query.after === undefined ? '' : operatorsHref(first),
    empty: emptyState(list, page.items.length),
    noMatch: filtered ? 'Try fewer words, or remove a filter.' : 'This page is empty now.',
  };
}

/** What needs a person, in one line for screen readers. */
export function attentionLine({ states, total }: OperatorList): string {
  return states.Error === 0 ? `${total} Operators, none with an error` : `${states.Error} of ${total} Operators need attention`;
}

function resultLine({ operators, total }: OperatorList, filtered: boolean): string {
  const all = total === 1 ? '1 Operator' : `${total} Operators`;
  return filtered ? `${operators.length} of ${all}` : all;
}

function emptyState({ total }: OperatorList, shown: number): OperatorsLive['empty'] {
  if (total === 0) return 'no-operators';
  return shown === 0 ? 'no-match' : 'no';
}

/** A link turns its state on alone, or off again; those that nobody is in are left out. */
function stateLinks(list: OperatorList, { after: _after, ...query }: OperatorsQuery): StateLink[] {
  const isAll = query.state.length === 0 && query.upgrade === 'any';
  const all = { label: 'All', count: list.total, href: operatorsHref({ ...query, state: [], upgrade: 'any' }), selected: isAll };
  const states = OPERATOR_STATES.filter((state) => list.states[state] > 0 || query.state.includes(state)).map((state) => {
    const selected = query.state.includes(state);
    const href = operatorsHref({ ...query, upgrade: 'any', state: selected ? [] : [state] });
    return { label: state, count: list.states[state], href, selected, badge: stateBadge(state) };
  });
  const selected = query.upgrade === 'available';
  const href = operatorsHref({ ...query, state: [], upgrade: selected ? 'any' : 'available' });
  const upgrade = { label: 'Newer version available', count: list.upgradable, href, selected };
  return [all, ...states, ...(list.upgradable > 0 || selected ? [upgrade] : [])];
}

function operatorsHref({ search, state, category, upgrade, after }: OperatorsQuery, path = '/operators'): string {
  return hrefWith(path, { search, state, category, upgrade: upgrade === 'available' ? upgrade : '', after });
}

const SHOWN_KINDS = 4;
const SHOWN_MESSAGE = 180;

function operatorRow(operator: OperatorView, counts: Counts): OperatorRow {
  const { namespace, name, chart, crds, message } = operator;
  return {
    href: operatorPath(operator),
    namespace,
    name,
    displayName: displayNameOf(operator),
    status: operatorBadge(operator),
    chart: chart.name ?? chart.address,
    version: chart.version ?? '',
    available: chart.availableVersion ?? '',
    kinds: crds.slice(0, SHOWN_KINDS).map(({ kind }) => kind),
    moreKinds: Math.max(0, crds.length - SHOWN_KINDS),
    instances: countText(crds, counts),
    message: shortened(message),
  };
}

export function displayNameOf({ displayName, name }: Pick<OperatorView, 'displayName' | 'name'>): string {
  return displayName === '' ? name : displayName;
}

/** The sum over the kinds; a part of it would be a wrong number, so it is reported only when each has been counted. */
export function countText(crds: OperatorView['crds'], counts: Counts): CountText {
  if (crds.length === 0) return { text: '', why: 'no kinds' };
  const found = crds.map(({ name, instances }) => counts[name] ?? (instances === undefined ? undefined : { count: instances }));
  if (found.some((one) => one !== undefined && 'missing' in one)) return { text: '', why: 'not allowed' };
  if (found.some((one) => one !== undefined && 'unavailable' in one)) return { text: '', why: 'not available' };
  if (found.some((one) => one === undefined)) return { text: '', why: 'not counted' };
  return { text: String(found.reduce((sum, one) => sum + (one !== undefined && 'count' in one ? one.count : 0), 0)), why: '' };
}

function shortened(text: string): string {
  return text.length <= SHOWN_MESSAGE ? text : `${text.slice(0, SHOWN_MESSAGE).trimEnd()}…`;
}
