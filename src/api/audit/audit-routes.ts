import { numberAt, textAt } from '../../domain/core/read.ts';
import { PAGE_QUERY } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf } from '../schemas.ts';

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
