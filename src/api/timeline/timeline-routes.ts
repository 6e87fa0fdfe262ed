import { csvText } from '../../domain/core/plain-text.ts';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { TIMELINE_KINDS, type TimelineEntry } from '../../domain/timeline/timeline.ts';
import type { Timeline, TimelineInput } from '../../operation/timeline/show-timeline.ts';
import { byNewestId, PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type CsvFile, FORMAT_QUERY, type Reply, type Route } from '../route.ts';
import { object, pageOf, ref, text, time } from '../schema-parts.ts';

const SHARED = {
  method: 'get',
  query: {
    since: { type: 'string', description: 'Not earlier than this date or time (RFC 3339)' },
    until: { type: 'string', description: 'Earlier than this time, or up to the end of this date' },
    kind: { enum: TIMELINE_KINDS, description: 'Only entries of this kind' },
    who: { type: 'string', description: 'Only entries of this person or tool, as in `who`' },
    search: { type: 'string', description: 'Must occur in the name, the message or the person' },
    ...PAGE_QUERY,
    ...FORMAT_QUERY,
  },
  replies: {
    200: {
      description: 'A page of entries, the newest first',
      schema: pageOf('TimelineEntry', {
        total: { type: 'integer', description: 'Entries that the filter leaves' },
        missing: { type: 'array', items: ref('MissingPermission'), description: 'What you may not list; no entry is about it' },
      }),
    },
  },
  handle: async (call: Call) => await list(call),
  csv: async (call: Call) => await file(call),
} as const;

/** What happened in an environment, and to one instance. */
export const TIMELINE_ROUTES: readonly Route[] = [
  {
    ...SHARED,
    path: '/environments/{environment}/timeline',
    operationId: 'showTimeline',
    summary:
      'The changes of an environment: creations, writes by field manager, revisions, releases, warnings, actions and change requests',
    tag: 'Environments',
  },
  {
    ...SHARED,
    path: '/environments/{environment}/instances/{app}/{name}/timeline',
    operationId: 'showInstanceTimeline',
    summary: 'The changes of an instance and its resources',
    tag: 'Instances',
  },
];

async function list(call: Call): Promise<Reply> {
  const { entries, missing } = await read(call);
  const page = pageOfItems(entries, ({ time, id }) => byNewestId({ created: time, id }), call.query);
  return { status: 200, body: { ...page, total: entries.length, missing } };
}

async function read({ operations, actor, params, query }: Call): Promise<Timeline> {
  const { environment = '', app, name } = params;
  const instance = app === undefined || name === undefined ? {} : { instance: { app, name } };
  return await operations.showTimeline(actor, { environment, ...instance, ...filterIn(query) });
}

function filterIn(query: Call['query']): Omit<TimelineInput, 'environment' | 'instance'> {
  const kind = TIMELINE_KINDS.find((one) => one === query['kind']);
  const [who, search, since, until] = ['who', 'search', 'since', 'until'].map((key) => textAt(query, key));
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(who === undefined ? {} : { who }),
    ...(search === undefined ? {} : { search }),
    ...(since === undefined ? {} : { since: instantOf('since', since) }),
    ...(until === undefined ? {} : { until: instantOf('until', until) + (until.length === DATE.length ? DAY_MS : 0) }),
  };
}

const DATE = '2026-01-31';
const DAY_MS = 86_400_000;

function instantOf(field: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new AppError('MalformedRequest', `${field}: ${JSON.stringify(text.slice(0, 40))} is no date or time (RFC 3339)`);
  return time;
}

const COLUMNS: readonly (readonly [title: string, value: (entry: TimelineEntry) => string])[] = [
  ['time', ({ time }) => time],
  ['kind', ({ kind }) => kind],
  ['who', ({ who }) => who],
  ['subject_kind', ({ subject }) => subject.kind],
  ['subject', ({ subject }) => subject.name],
  ['message', ({ message }) => message],
  ['instance_app', ({ instance }) => instance?.app ?? ''],
  ['instance', ({ instance }) => instance?.name ?? ''],
];

async function file(call: Call): Promise<CsvFile> {
  const { environment, entries } = await read(call);
  const rows = entries.map((entry) => COLUMNS.map(([, value]) => value(entry)));
  return { name: `${environment.name}-timeline`, text: csvText([COLUMNS.map(([title]) => title), ...rows]) };
}

/** What the API says of changes. */
export const TIMELINE_SCHEMAS = {
  TimelineEntry: object(
    {
      id: text,
      time,
      kind: { enum: TIMELINE_KINDS },
      who: { ...text, description: 'A person, or the tool behind a field manager; empty when unknown' },
      message: text,
      subject: object({ resource: { ...text, description: 'Plural and group; empty for what is no resource' }, kind: text, name: text }),
      instance: object({ app: text, name: text }),
      changeRequest: { ...text, description: 'The id of a change request' },
    },
    ['id', 'time', 'kind', 'who', 'message', 'subject'],
  ),
} as const;
