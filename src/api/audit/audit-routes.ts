import { numberAt, textAt } from '../../domain/core/read.ts';
import { PAGE_QUERY } from '../paging.ts';
import type { Call, JsonSchema, Reply, Route } from '../route.ts';
import { pageOf, text } from '../schema-parts.ts';
import { AUDIT_OUTCOMES } from '../../domain/audit/audit-log.ts';

/** Routes of the audit log. */
export const AUDIT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/audit-events',
    operationId: 'listAuditEvents',
    summary: 'List actions of people through pages and this API, and what the controller changed for them, newest first (admins)',
    tag: 'Admin',
    query: {
      person: { type: 'string', default: '', description: 'A substring of the user name' },
      environment: { type: 'string', default: '', description: 'The environment of the target' },
      text: {
        type: 'string',
        default: '',
        description: 'A substring of the action, target, outcome, a group, the request id, the change or an object',
      },
      ...PAGE_QUERY,
      after: { type: 'string', pattern: '^[0-9]{1,15}$', description: 'The `next` of the previous page' },
    },
    replies: { 200: { description: 'A page of entries', schema: pageOf('AuditLogEntry') } },
    handle: async (call) => await list(call),
  },
];

async function list({ operations, actor, query }: Call): Promise<Reply> {
  const after = textAt(query, 'after');
  const { entries, next } = await operations.listAuditEvents(actor, {
    person: textAt(query, 'person') ?? '',
    environment: textAt(query, 'environment') ?? '',
    text: textAt(query, 'text') ?? '',
    limit: numberAt(query, 'limit') ?? 100,
    ...(after === undefined ? {} : { before: Number(after) }),
  });
  return { status: 200, body: { items: entries, ...(next === undefined ? {} : { next: String(next) }) } };
}

const names = { type: 'array', items: { ...text, examples: ['Deployment web'] } } as const;

/** Schemas of the audit log. */
export const AUDIT_SCHEMAS = {
  AuditLogEntry: {
    type: 'object',
    properties: {
      id: { type: 'integer', description: 'Later entries have larger ids' },
      time: { type: 'string', format: 'date-time' },
      user: text,
      groups: { type: 'array', items: text },
      action: { ...text, examples: ['create instance'] },
      environment: { ...text, description: 'Empty outside of environments' },
      target: { ...text, examples: ['team-a/caches.samples.chandlery.dev/orders'] },
      outcome: { enum: [...AUDIT_OUTCOMES] },
      code: { ...text, description: 'The code of the error; empty on success' },
      via: { enum: ['page', 'api', 'controller'] },
      requestId: text,
      token: { ...text, description: 'The personal access token of the request, by name and id; absent for other credentials' },
      change: {
        ...text,
        description:
          'The change of a resource: `<uid>.<generation>`, or the uid with a request by annotation or `deletion`. What the controller did for an action has the same one',
      },
      release: {
        type: 'object',
        description: 'The revision of a Helm release that the controller made, tested or removed',
        properties: { namespace: text, name: text, revision: { type: 'integer' } },
        required: ['namespace', 'name', 'revision'],
      },
      objects: {
        type: 'object',
        description: 'The objects that the controller created, changed and removed, by kind and name',
        properties: {
          created: names,
          changed: names,
          removed: names,
          hooks: { ...names, description: 'Hooks that ran' },
          more: { type: 'integer', description: 'How many more there are than the lists name' },
        },
        required: ['created', 'changed', 'removed', 'hooks', 'more'],
      },
    },
    required: ['id', 'time', 'user', 'groups', 'action', 'environment', 'target', 'outcome', 'code', 'via', 'requestId'],
  },
} as const satisfies Record<string, JsonSchema>;
