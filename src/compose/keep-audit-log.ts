import { ActPace, ANY_ACT, INSTALLS } from '../domain/audit/act-pace.ts';
import { boundEvent } from '../domain/audit/bound-event.ts';
import { RejectionQuota } from '../domain/audit/rejection-quota.ts';
import type { AuditLog, AuditRecord } from '../domain/audit/audit-log.ts';
import type { Log } from '../observe/log.ts';
import type { AuditPort } from '../operation/audit/audited.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How long an answer waits for its line to be written. */
const PATIENCE_MS = 3_000;

/**
 * The audit log for operations. Each entry is a line of the process log as well, so that it is not lost when the store fails or has no room for old ones. A fault of
 * the store is told there, too; what was done is done, and the answer to who did it is not held back.
 */
export function keepAuditLog(auditLog: AuditLog, log: Log, patienceMs = PATIENCE_MS): AuditPort {
  const quota = new RejectionQuota();
  const paces = { act: new ActPace(ANY_ACT), install: new ActPace(INSTALLS) };
  return {
    checkPace: ({ user }, kind) => paces[kind].take(user, Date.now()),
    append: async (line) => {
      for (const event of quota.record(boundEvent(line))) await record(auditLog, log, { event, patienceMs });
    },
    search: async (query) => await auditLog.search(query),
    now: Date.now,
  };
}

async function record(
  auditLog: AuditLog,
  log: Log,
  { event, patienceMs }: { readonly event: AuditRecord; readonly patienceMs: number },
): Promise<void> {
  const { time: _time, ...keys } = event;
  log.info('act', keys);
  const isInTime = await waitAtMost(keep(auditLog, log, event), patienceMs);
  if (!isInTime)
    log.warn('The audit log is slow: this action is in the process log, and will be in the audit log later', {
      requestId: event.requestId,
    });
}

async function keep(auditLog: AuditLog, log: Log, line: AuditRecord): Promise<void> {
  try {
    await auditLog.append(line);
  } catch (err) {
    log.error('The audit log cannot be written: this action is in the process log only until then', { err, requestId: line.requestId });
  }
}
