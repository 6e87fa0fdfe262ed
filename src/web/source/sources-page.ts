import { type Page, pageByKey } from '../../domain/core/page-by-key.ts';
import type { SourceFilter, SourceList } from '../../domain/source/source-list.ts';
import { SOURCE_STATES, type SourceState, type SourceOrigin, type SourceView } from '../../domain/source/source-view.ts';
import { type Badge, sourceBadge } from '../page/badges.ts';
import { hrefWith, sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

const SOURCES_A_PAGE = 50;
const SHOWN_MESSAGE = 240;

interface SourceRow {
  readonly href: string;
  readonly name: string;
  readonly state: Badge;
  /** Empty when all is well. */
  readonly message: string;
  readonly origin: string;
  readonly ref: string;
  readonly revision: string;
  readonly resources: number;
  /** Empty when there are none. */
  readonly faults: string;
  /** RFC 3339; empty when nothing was applied. */
  readonly applied: string;
}

/** What changes while somebody looks. A view of `sources/list`. */
export interface SourcesLive {
  readonly states: readonly {
    readonly label: string;
    readonly count: number;
    readonly href: string;
    readonly selected: boolean;
    readonly badge?: Badge;
  }[];
  readonly rows: readonly SourceRow[];
  readonly resultLine: string;
  readonly filtered: boolean;
  readonly nextHref: string;
  readonly empty: 'no' | 'no-sources' | 'no-match';
}

/** A view of `sources/index`. */
export interface SourcesPage {
  readonly search: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly live: SourcesLive;
  readonly streamHref: string;
}

export interface SourcesQuery extends SourceFilter {
  readonly after?: string;
}

/** The query in an address; unknown states are left out. */
export function parseSourcesQuery(parameters: URLSearchParams): SourcesQuery {
  const after = parameters.get('after');
  return {
    search: (parameters.get('search') ?? '').trim().slice(0, 200),
    state: SOURCE_STATES.filter((state) => parameters.getAll('state').includes(state)),
    ...(after === null || after === '' ? {} : { after }),
  };
}

export function sourcesPage(list: SourceList, query: SourcesQuery): SourcesPage {
  return {
    search: query.search,
    kept: query.state.map((value) => ({ name: 'state', value })),
    live: sourcesLive(list, query),
    streamHref: sourcesHref(query, '/sources/stream'),
  };
}

export function sourcesLive(list: SourceList, query: SourcesQuery): SourcesLive {
  const page = pageOfSources(list, query);
  const filtered = query.search !== '' || query.state.length > 0;
  const all = plural(list.total, 'source', 'sources');
  return {
    states: stateLinks(list, query),
    rows: page.items.map(sourceRow),
    resultLine: filtered ? `${list.sources.length} of ${all}` : all,
    filtered,
    nextHref: page.next === undefined ? '' : sourcesHref({ ...query, after: page.next }),
    empty: list.total === 0 ? 'no-sources' : page.items.length === 0 ? 'no-match' : 'no',
  };
}

/** What needs a person, in one line for screen readers. */
export function sourcesStatus({ states, total }: SourceList): string {
  const attention = states.Failed + states.ApprovalNeeded + states.ConfirmationNeeded;
  return attention === 0
    ? `${plural(total, 'source', 'sources')}, none needs attention`
    : `${attention} of ${total} sources need attention`;
}

/** Those that need somebody come first. */
function pageOfSources({ sources }: SourceList, { after }: SourcesQuery): Page<SourceView> {
  const keyOf = ({ state, name }: SourceView): string => `${SOURCE_STATES.indexOf(state)} ${name}`;
  return pageByKey(sources, keyOf, { limit: SOURCES_A_PAGE, ...(after === undefined ? {} : { after }) });
}

function stateLinks({ states }: SourceList, { after: _after, ...query }: SourcesQuery): SourcesLive['states'] {
  const count = SOURCE_STATES.reduce((sum, state) => sum + states[state], 0);
  const all = { label: 'All', count, href: sourcesHref({ ...query, state: [] }), selected: query.state.length === 0 };
  const shown = SOURCE_STATES.filter((state) => states[state] > 0 || query.state.includes(state));
  return [all, ...shown.map((state) => stateLink(state, states[state], query))];
}

function stateLink(state: SourceState, count: number, query: SourcesQuery): SourcesLive['states'][number] {
  const selected = query.state.includes(state);
  const badge = sourceBadge(state);
  return { label: badge.label, count, href: sourcesHref({ ...query, state: selected ? [] : [state] }), selected, badge };
}

function sourcesHref({ search, state, after }: SourcesQuery, path = '/sources'): string {
  return hrefWith(path, { search, state, after });
}

function sourceRow(source: SourceView): SourceRow {
  const { name, state, message, origin, revision, resources, faults, lastAppliedTime } = source;
  return {
    href: sourcePath(name),
    name,
    state: sourceBadge(state),
    message: ['Failed', 'ApprovalNeeded', 'ConfirmationNeeded'].includes(state) ? shortened(message) : '',
    origin: originAddress(origin),
    ref: origin.kind !== 'Folder' ? origin.ref : '',
    revision: revision === undefined ? '' : shortRevision(revision),
    resources,
    faults: faults.length === 0 ? '' : plural(faults.length, 'fault', 'faults'),
    applied: lastAppliedTime ?? '',
  };
}

/** The address of a source in one line, for people. */
export function originAddress(origin: SourceOrigin): string {
  if (origin.kind === 'Folder') return origin.path;
  return origin.path === '' ? origin.url : `${origin.url}, folder ${origin.path}`;
}

/** `main@sha1:9f2c4a1b03d7`: the first twelve characters of a digest tell one from another. */
export function shortRevision(revision: string): string {
  return revision.replace(/\b([0-9a-f]{12})[0-9a-f]{20,}$/, '$1');
}

function shortened(text: string): string {
  return text.length <= SHOWN_MESSAGE ? text : `${text.slice(0, SHOWN_MESSAGE).trimEnd()}…`;
}
