import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { AuditEntry, AuditQuery } from '../../domain/audit/audit-log.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Ports } from '../ports.ts';

/** A page of the audit log. */
export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page; absent on the last one. */
  readonly next?: number;
}

/** No api-server serves it; permissions on it are granted as on any other resource. */
const AUDIT_RIGHT = { verb: 'list', group: OURS.group, resource: 'auditevents' } as const;

/** Who did what through pages and the REST API. @throws AppError `Forbidden` without the permission to list `auditevents.chandlery.dev`. */
export async function listAuditEvents(ports: Pick<Ports, 'clusters' | 'auditLog'>, actor: Actor, query: AuditQuery): Promise<AuditPage> {
  const { allowed } = await ports.clusters.asActor(actor).review(AUDIT_RIGHT);
  if (!allowed) throw new AppError('Forbidden', 'auditLog: you may not read the audit log', { missing: AUDIT_RIGHT });
  const found = await ports.auditLog.search({ ...query, limit: query.limit + 1 });
  const entries = found.slice(0, query.limit);
  const last = entries.at(-1);
  return found.length > entries.length && last !== undefined ? { entries, next: last.id } : { entries };
}
