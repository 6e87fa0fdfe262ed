import { ActPace, ANY_ACT, INSTALLS } from '../domain/audit/act-pace.ts';
import { boundEvent } from '../domain/audit/bound-event.ts';
import { RefusalQuota } from '../domain/audit/refusal-quota.ts';
import type { Journal, JournalLine } from '../domain/audit/audit-log.ts';
import type { Log } from '../observe/log.ts';
import type { JournalPort } from '../operation/audit/audited.ts';
import { settleWithin } from './settle-within.ts';

/** How long an answer waits for its line to be written. */
const PATIENCE_MS = 3_000;

/**
 * The audit log for operations. Each entry is a line of the process log as well, so that it is not lost when the store fails or has no room for old ones. A fault of
 * the store is told there, too; what was done is done, and the answer to who did it is not held back.
 */
export function keepJournal(journal: Journal, log: Log, patienceMs = PATIENCE_MS): JournalPort {
  const quota = new RefusalQuota();
  const paces = { act: new ActPace(ANY_ACT), install: new ActPace(INSTALLS) };
  return {
    checkPace: ({ user }, kind) => paces[kind].take(user, Date.now()),
    append: async (line) => {
      for (const event of quota.record(boundEvent(line))) await record(journal, log, { event, patienceMs });
    },
    search: async (query) => await journal.search(query),
    now: Date.now,
  };
}

async function record(
  journal: Journal,
  log: Log,
  { event, patienceMs }: { readonly event: JournalLine; readonly patienceMs: number },
): Promise<void> {
  const { time: _time, ...keys } = event;
  log.info('act', keys);
  const isInTime = await settleWithin(keep(journal, log, event), patienceMs);
  if (!isInTime) log.warn('The journal is slow: this act is in the log, and will be in the journal later', { requestId: event.requestId });
}

async function keep(journal: Journal, log: Log, line: JournalLine): Promise<void> {
  try {
    await journal.append(line);
  } catch (err) {
    log.error('The journal cannot be written: this act is in the log alone until it can', { err, requestId: line.requestId });
  }
}
