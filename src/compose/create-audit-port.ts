import {
  ACTION_RATE_LIMIT,
  ActionRateLimiter,
  type AuditLog,
  type AuditRecord,
  boundEvent,
  INSTALL_RATE_LIMIT,
  RejectionQuota,
} from '../domain/audit/audit-log.ts';
import type { Log } from '../observe/log.ts';
import type { AuditPort } from '../operation/audit/audited.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How long a response waits for its entry to be written. */
const WRITE_TIMEOUT_MS = 3_000;

/**
 * The audit log for operations. Each entry is also a line of the process log, so that it is not lost when the store fails or evicts old entries. Errors of the
 * store are logged and never fail or delay the response: the action has already happened.
 */
export function createAuditPort(auditLog: AuditLog, log: Log, timeoutMs = WRITE_TIMEOUT_MS): AuditPort {
  const quota = new RejectionQuota();
  const limiters = { action: new ActionRateLimiter(ACTION_RATE_LIMIT), install: new ActionRateLimiter(INSTALL_RATE_LIMIT) };
  return {
    checkRateLimit: ({ user }, kind) => limiters[kind].take(user, Date.now()),
    append: async (line) => {
      for (const event of quota.record(boundEvent(line))) await record(auditLog, log, { event, timeoutMs });
    },
    search: async (query) => await auditLog.search(query),
    now: Date.now,
  };
}

async function record(
  auditLog: AuditLog,
  log: Log,
  { event, timeoutMs }: { readonly event: AuditRecord; readonly timeoutMs: number },
): Promise<void> {
  const { time: _time, ...keys } = event;
  log.info('audit event', keys);
  const isInTime = await waitAtMost(keep(auditLog, log, event), timeoutMs);
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
