import { numberAt, textAt } from '../../domain/core/read.ts';
import { PAGE_QUERY } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf } from '../schemas.ts';

/** Who did what. */
export const AUDIT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/audit-events',
    operationId: 'listAuditEvents',
    summary: 'Who did what through pages and this API, the newest first (admins)',
    tag: 'Admin',
    query: {
      person: { type: 'string', default: '', description: 'Must occur in the user name' },
      environment: { type: 'string', default: '', description: 'The environment it was done in' },
      text: { type: 'string', default: '', description: 'Must occur in the action, its target, its outcome, a group or the request' },
      ...PAGE_QUERY,
      after: { type: 'string', pattern: '^[0-9]{1,15}$', description: 'The `next` of the page before' },
    },
    replies: { 200: { description: 'A page of acts', schema: pageOf('AuditLogEntry') } },
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
