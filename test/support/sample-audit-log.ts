import { type AuditEntry, type AuditQuery, matchesQuery, type RequestOrigin } from '../../src/domain/audit/audit-log.ts';
import type { JobDeploymentTable } from '../../src/domain/environment/job-deployment.ts';
import type { AuditPort } from '../../src/operation/audit/audited.ts';
import type { AuditPage } from '../../src/operation/audit/list-audit-events.ts';

/** The request of tests that look at no other. */
export const ASKING: RequestOrigin = { via: 'api', requestId: 'r' };

/** Every entry of a short audit log. */
export const EVERY_ENTRY = { person: '', environment: '', text: '', limit: 100 } as const;

/** An act without its request, which is another one each time. */
export function withoutAsking<T extends RequestOrigin>({
  requestId: _requestId,
  via: _via,
  person: _person,
  subject: _subject,
  ciJob: _ciJob,
  ...act
}: T): Omit<T, keyof RequestOrigin> {
  return act;
}

/** For tests in which no job deploys. */
export const NO_DEPLOYMENTS: JobDeploymentTable = { put: async () => undefined, list: async () => [] };

/** An audit log that forgets everything with the test. */
export function sampleAuditLog(entries: AuditEntry[] = []): AuditPort {
  return {
    append: async (line) => void entries.push({ ...line, id: entries.length + 1 }),
    search: async (query) => {
      const wanted = entries.filter((entry) => (query.before === undefined || entry.id < query.before) && matchesQuery(entry, query));
      return wanted.toReversed().slice(0, query.limit);
    },
    checkRateLimit: () => undefined,
    now: Date.now,
  };
}

const ORDERS = 'team-a/postgresclusters.samples.chandlery.dev/orders';

/** A page of an audit log that is longer. */
export function sampleAuditLogPage(query: AuditQuery): AuditPage {
  const of = (id: number, change: Partial<AuditEntry>): AuditEntry => ({
    id,
    time: `2026-01-01T10:00:${id}.000Z`,
    user: 'oidc:dev-a',
    groups: ['oidc:team-a'],
    action: 'create instance',
    environment: 'team-a',
    target: ORDERS,
    outcome: 'succeeded',
    code: '',
    via: 'page',
    requestId: `0190-${id}`,
    ...change,
  });
  const admin = { user: 'oidc:admin', groups: ['oidc:platform'], environment: '' };
  const all = [
    of(14, {
      ...admin,
      action: 'force operator',
      target: 'chandlery-system/postgres-operator',
      outcome: 'failed',
      code: 'ClusterUnavailable',
    }),
    of(15, {
      action: 'upgrade release',
      user: 'system:serviceaccount:team-a:chandlery-deployer',
      groups: [],
      target: 'team-a/queues.apps.chandlery.dev/jobs',
      via: 'controller',
      requestId: '',
      change: '9f4e7c1a-0000-4000-8000-000000000001.3',
      release: { namespace: 'team-a', name: 'queue-jobs', revision: 3 },
      objects: {
        created: ['Service queue-jobs'],
        changed: ['StatefulSet queue-jobs'],
        removed: ['ConfigMap queue-jobs-old'],
        hooks: [],
        more: 0,
      },
    }),
    of(13, { action: 'update instance', target: ORDERS, via: 'api' }),
    of(12, {
      action: 'delete instance',
      environment: 'shop',
      target: ORDERS.replace('team-a', 'shop'),
      outcome: 'rejected',
      code: 'Forbidden',
    }),
    of(11, {}),
  ];
  const entries = all.filter((entry) => matchesQuery(entry, query));
  return entries.length === all.length ? { entries, next: 11 } : { entries };
}
