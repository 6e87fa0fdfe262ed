import {
  ACTION_RATE_LIMIT,
  ActionRateLimiter,
  type AuditLog,
  type AuditRecord,
  boundEvent,
  INSTALL_RATE_LIMIT,
  RejectionQuota,
} from '../domain/audit/audit-log.ts';
import { escapeJson } from '../domain/audit/escape-controls.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import type { Log } from '../observe/log.ts';
import type { AuditPort } from '../operation/audit/audited.ts';
import { waitAtMost } from '../domain/core/wait-at-most.ts';

/** How long a response waits for its entry to be written. */
const WRITE_TIMEOUT_MS = 3_000;

export interface AuditPortInput {
  readonly auditLog: AuditLog;
  readonly log: Log;
  /** Prints lines for collectors; absent: entries are lines of the process log instead. */
  readonly print?: (line: string) => void;
  readonly timeoutMs?: number;
}

/**
 * The audit log for operations. Each entry is also a line of the standard output or of the process log, so that it is not lost when the store fails or evicts old
 * entries. Errors of the store are logged and never fail or delay the response: the action has already happened.
 */
export function createAuditPort(input: AuditPortInput): AuditPort {
  const quota = new RejectionQuota();
  const limiters = { action: new ActionRateLimiter(ACTION_RATE_LIMIT), install: new ActionRateLimiter(INSTALL_RATE_LIMIT) };
  return {
    checkRateLimit: ({ user }, kind) => limiters[kind].take(user, Date.now()),
    append: async (line) => {
      for (const event of quota.record(boundEvent(line))) await record(input, event);
    },
    search: async (query) => await input.auditLog.search(query),
    now: Date.now,
  };
}

async function record(input: AuditPortInput, event: AuditRecord): Promise<void> {
  const { log, timeoutMs = WRITE_TIMEOUT_MS } = input;
  announce(input, event);
  const isInTime = await waitAtMost(keep(input, event), timeoutMs);
  if (isInTime) return;
  const { requestId } = event;
  log.warn('The audit log is slow: this action is in the process log, and will be in the audit log later', { requestId });
}

function announce({ log, print }: AuditPortInput, event: AuditRecord): void {
  const { time, ...keys } = event;
  // The calls of a request carry its id as their Audit-ID, so this is the `auditID` of the api-server's audit log.
  if (print === undefined) log.info('audit event', keys);
  else print(`${escapeJson(stringifyJson({ time, msg: 'audit event', ...keys, auditID: event.requestId }))}\n`);
}

async function keep({ auditLog, log }: AuditPortInput, line: AuditRecord): Promise<void> {
  try {
    await auditLog.append(line);
  } catch (err) {
    log.error('The audit log cannot be written: this action is in the process log only until then', { err, requestId: line.requestId });
  }
}
