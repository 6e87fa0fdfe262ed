import { Router } from 'express';
import { pageByKey } from '../../domain/core/page-by-key.ts';
import {
  filterTimeline,
  TIMELINE_KINDS,
  type TimelineEntry,
  type TimelineFilter,
  type TimelineKind,
} from '../../domain/timeline/timeline.ts';
import type { Timeline } from '../../operation/timeline/show-timeline.ts';
import { environmentRow } from '../environment/environment-page.ts';
import { environmentTabs } from '../environment/environment-parts.ts';
import { instanceFrame, instanceTabPath } from '../instance/instance-frame.ts';
import { addressOf, instanceCrumbs } from '../instance/instance-routes.ts';
import type { Badge } from '../page/badges.ts';
import { type Facet, facetOf } from '../page/facets.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { changeRequestPath, environmentTimelinePath, hrefWith, instancePath, resourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

/** What happened in an environment, and to one instance. */
export function timelineRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/timeline',
    page(deps, (visit) => showEnvironment(deps, visit)),
  );
  router.get(
    '/environments/:environment/instances/:app/:name/timeline',
    page(deps, (visit) => showInstance(deps, visit)),
  );
  return router;
}

async function showEnvironment({ operations }: WebDeps, { actor, query: parameters, param }: Visit): Promise<Answer> {
  const name = param('environment');
  const query = parseTimelineQuery(parameters);
  const timeline = await operations.showTimeline(actor, { environment: name, ...filterOf(query) });
  const environment = environmentRow(timeline.environment);
  const { href, displayName: label } = environment;
  const path = environmentTimelinePath(name);
  return {
    view: 'environments/timeline',
    title: `Timeline of ${label}`,
    section: 'environments',
    crumbs: [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Timeline' }],
    model: {
      environment,
      tabs: environmentTabs(name, 'timeline'),
      timeline: timelineView({ timeline, query, after: parameters.get('after') ?? '', path }),
    },
  };
}

async function showInstance({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, query: parameters } = visit;
  const address = addressOf(visit);
  const query = parseTimelineQuery(parameters);
  const { environment: name, ...instance } = address;
  const [timeline, shown, environment, permissions] = await Promise.all([
    operations.showTimeline(actor, { environment: name, instance, ...filterOf(query) }),
    operations.showInstance(actor, address),
    operations.showEnvironment(actor, name),
    operations.instancePermissions(actor, address),
  ]);
  const frame = instanceFrame({ instance: shown, environment, permissions }, 'timeline');
  const path = instanceTabPath(address, 'timeline');
  return {
    view: 'environments/instances/timeline',
    title: `Timeline of ${address.name} in ${frame.environment.displayName}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Timeline'),
    model: { ...frame, timeline: timelineView({ timeline, query, after: parameters.get('after') ?? '', path }) },
  };
}

/** One line of the timeline; a part of a view of `parts/timeline`. */
interface TimelineRow {
  readonly time: string;
  readonly badge: Badge;
  readonly subject: { readonly kind: string; readonly name: string; readonly href: string };
  readonly message: string;
  readonly href: string;
  readonly who: string;
}

/** A view of `parts/timeline`. */
export interface TimelineView {
  readonly search: string;
  readonly since: string;
  readonly until: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly facets: readonly Facet[];
  readonly resultLine: string;
  readonly filtered: boolean;
  readonly days: readonly { readonly day: string; readonly rows: readonly TimelineRow[] }[];
  readonly empty: 'no' | 'nothing' | 'no-match';
  readonly path: string;
  readonly nextHref: string;
  readonly csvHref: string;
  readonly jsonHref: string;
  readonly missing: readonly string[];
}

/** The parameters of an address, as they were understood. */
export interface TimelineQuery {
  readonly kind?: TimelineKind;
  readonly who?: string;
  readonly search?: string;
  /** Dates such as `2026-01-31`. */
  readonly since?: string;
  readonly until?: string;
}

const ROWS_A_PAGE = 100;
const MAX_TEXT_LENGTH = 200;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

function parseTimelineQuery(parameters: URLSearchParams): TimelineQuery {
  const kind = TIMELINE_KINDS.find((one) => one === parameters.get('kind'));
  const texts = ['who', 'search'].map((key) => [key, (parameters.get(key) ?? '').trim().slice(0, MAX_TEXT_LENGTH)] as const);
  const dates = ['since', 'until'].map((key) => [key, parameters.get(key) ?? ''] as const);
  const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(Date.parse(text));
  return {
    ...(kind === undefined ? {} : { kind }),
    ...Object.fromEntries([...texts.filter(([, text]) => text !== ''), ...dates.filter(([, text]) => isDate(text))]),
  };
}

/** The filter of an operation; the last day counts whole. */
function filterOf({ since, until, ...rest }: TimelineQuery): TimelineFilter {
  return {
    ...rest,
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) + DAY_MS }),
  };
}

export interface TimelineViewInput {
  readonly timeline: Timeline;
  readonly query: TimelineQuery;
  /** The cursor of the page before; empty for the first one. */
  readonly after: string;
  /** Of the page, and below `/api/v1` of its data. */
  readonly path: string;
}

function timelineView({ timeline, query, after, path }: TimelineViewInput): TimelineView {
  const { environment, entries, all, missing } = timeline;
  const page = pageByKey(entries, newestFirst, { limit: ROWS_A_PAGE, ...(after === '' ? {} : { after }) });
  const rows = page.items.map((entry) => timelineRow(entry, environment.name));
  const isFiltered = Object.keys(query).length > 0;
  const { search = '', since = '', until = '', ...kept } = query;
  return {
    search,
    since,
    until,
    kept: Object.entries(kept).map(([name, value]) => ({ name, value })),
    facets: facets(all, query, path),
    resultLine: `${isFiltered ? `${entries.length} of ` : ''}${plural(all.length, 'entry', 'entries')}`,
    filtered: isFiltered,
    days: [...Map.groupBy(rows, ({ time }) => time.slice(0, DAY))].map(([date, ofDay]) => ({ day: dayText(date), rows: ofDay })),
    empty: entries.length > 0 ? 'no' : all.length === 0 ? 'nothing' : 'no-match',
    path,
    nextHref: page.next === undefined ? '' : hrefWith(path, { ...query, after: page.next }),
    csvHref: `/api/v1${hrefWith(path, { ...query, format: 'csv' })}`,
    jsonHref: `/api/v1${hrefWith(path, { ...query, limit: '500' })}`,
    missing: missing.map(missingSentence),
  };
}

const DAY = '2026-01-31'.length;
const END_OF_TIME = 8.64e15;

function newestFirst({ time, id }: TimelineEntry): string {
  return `${String(END_OF_TIME - Date.parse(time)).padStart(16, '0')} ${id}`;
}

const DAY_TEXT = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

function dayText(date: string): string {
  return DAY_TEXT.format(Date.parse(date));
}

function facets(all: readonly TimelineEntry[], query: TimelineQuery, path: string): Facet[] {
  const { kind, who } = query;
  const without = (name: 'kind' | 'who'): TimelineEntry[] => {
    const { [name]: _own, ...others } = query;
    return filterTimeline(all, filterOf(others));
  };
  const kinds = facetOf({
    label: 'Kind',
    values: without('kind').map((entry) => [entry.kind]),
    selected: kind,
    hrefOf: (value) => hrefWith(path, { ...query, kind: value }),
    labelOf: (value) => TIMELINE_KINDS.filter((one) => one === value).map((one) => BADGES[one].label)[0] ?? value,
    order: TIMELINE_KINDS,
  });
  const people = facetOf({
    label: 'User or tool',
    values: without('who').map((entry) => [entry.who]),
    selected: who,
    hrefOf: (value) => hrefWith(path, { ...query, who: value }),
  });
  return [kinds, people].filter(({ options }) => options.length > 0);
}

const BADGES: Readonly<Record<TimelineKind, Badge>> = {
  Created: { label: 'Created', tone: 'good', symbol: 'plus' },
  Changed: { label: 'Changed', tone: 'busy', symbol: 'edit' },
  Deletion: { label: 'Deletion', tone: 'warn', symbol: 'trash' },
  Revision: { label: 'Revision', tone: 'busy', symbol: 'refresh' },
  Release: { label: 'Helm release', tone: 'busy', symbol: 'refresh' },
  Warning: { label: 'Warning', tone: 'warn', symbol: 'warn' },
  Action: { label: 'Action', tone: 'idle', symbol: 'info' },
  ChangeRequest: { label: 'Change request', tone: 'idle', symbol: 'info' },
};

function timelineRow(entry: TimelineEntry, environment: string): TimelineRow {
  const { time, kind, who, message, subject, instance, changeRequest } = entry;
  const own = subject.name === '' || subject.resource === '' ? '' : resourcePath(environment, subject);
  const isInstance = instance !== undefined && instance.app === subject.resource && instance.name === subject.name;
  return {
    time,
    badge: BADGES[kind],
    subject: {
      kind: subject.kind,
      name: subject.name,
      href: isInstance && subject.name !== '' ? instancePath({ environment, ...instance }) : own,
    },
    message,
    href: changeRequest === undefined ? '' : changeRequestPath(changeRequest),
    who,
  };
}
