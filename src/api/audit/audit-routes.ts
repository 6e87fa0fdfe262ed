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
    summary: 'List actions of people through pages and this API, newest first (admins)',
    tag: 'Admin',
    query: {
      person: { type: 'string', default: '', description: 'A substring of the user name' },
      environment: { type: 'string', default: '', description: 'The environment of the target' },
      text: { type: 'string', default: '', description: 'A substring of the action, target, outcome, a group or the request id' },
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
    },
    required: ['id', 'time', 'user', 'groups', 'action', 'environment', 'target', 'outcome', 'code', 'via', 'requestId'],
  },
} as const satisfies Record<string, JsonSchema>;
