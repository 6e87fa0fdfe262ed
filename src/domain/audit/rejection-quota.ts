import type { AuditRecord } from './audit-log.ts';

/** Unsuccessful actions of one person that are recorded one by one in a window; further ones are counted. */
const MOST = 100;
const WINDOW_MS = 3_600_000;

interface Count {
  readonly user: string;
  readonly groups: readonly string[];
  readonly outcome: AuditRecord['outcome'];
  readonly until: number;
  recorded: number;
  skipped: number;
}

/**
 * Keeps rejected and failed actions, which cost the caller nothing, from filling the audit log: of each person the first hundred in an hour are recorded, the
 * others as one number when the hour is over.
 */
export class RejectionQuota {
  /** The oldest window first. */
  readonly #counts = new Map<string, Count>();

  /** What is to be recorded for an event: nothing, the event, and numbers of windows that are over. */
  record(event: AuditRecord): readonly AuditRecord[] {
    const now = Date.parse(event.time);
    const over = this.#closeWindows(now, event);
    if (event.outcome === 'succeeded') return [...over, event];
    const key = `${event.outcome} ${event.user}`;
    const { user, groups, outcome } = event;
    const count = this.#counts.get(key) ?? { user, groups, outcome, until: now + WINDOW_MS, recorded: 0, skipped: 0 };
    this.#counts.set(key, count);
    if (count.recorded < MOST) {
      count.recorded += 1;
      return [...over, event];
    }
    count.skipped += 1;
    const until = new Date(count.until).toISOString();
    const first = summary(event, count, `more than ${MOST} in an hour: further ones are counted until ${until}`);
    return count.skipped === 1 ? [...over, first] : over;
  }

  #closeWindows(now: number, event: AuditRecord): readonly AuditRecord[] {
    const over: AuditRecord[] = [];
    for (const [key, count] of this.#counts) {
      if (count.until > now) break;
      this.#counts.delete(key);
      if (count.skipped > 0) over.push(summary(event, count, `${count.skipped} in the hour before ${new Date(count.until).toISOString()}`));
    }
    return over;
  }
}

function summary({ time, via, requestId }: AuditRecord, { user, groups, outcome }: Count, target: string): AuditRecord {
  return {
    time,
    via,
    requestId,
    user,
    groups,
    outcome,
    target,
    action: `further ${outcome} actions`,
    environment: '',
    code: 'TooManyRequests',
  };
}
