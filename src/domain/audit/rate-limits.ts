import { AppError } from '../core/errors.ts';
import type { AuditRecord } from './audit-log.ts';

interface ActionRateLimit {
  /** Actions that one person may do at once. */
  readonly burst: number;
  /** Milliseconds until one more is allowed. */
  readonly refillMs: number;
  /** What is bounded, for the message: `actions`. */
  readonly what: string;
}

/** Each action is an entry of the audit log, whose size is bounded: no person may evict the entries of others. */
export const ACTION_RATE_LIMIT: ActionRateLimit = { burst: 600, refillMs: 1000, what: 'actions' };
/** Thirty a minute: each install is work for the cluster and for the app's operator. */
export const INSTALL_RATE_LIMIT: ActionRateLimit = { burst: 30, refillMs: 2000, what: 'installs' };

/** A rate limiter for the actions of each person: a token bucket per user name. */
export class ActionRateLimiter {
  readonly #bounds: ActionRateLimit;
  /** When a person's allowance is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();

  constructor(bounds: ActionRateLimit = ACTION_RATE_LIMIT) {
    this.#bounds = bounds;
  }

  /** @throws AppError `TooManyRequests` over the limit, with the seconds until the next action is allowed. */
  take(user: string, now: number): void {
    const { burst, refillMs, what } = this.#bounds;
    if (this.#fullAt.size > 1000) for (const [known, at] of this.#fullAt) if (at <= now) this.#fullAt.delete(known);
    const fullAt = Math.max(now, this.#fullAt.get(user) ?? 0) + refillMs;
    const early = fullAt - now - burst * refillMs;
    if (early > 0) {
      const message = `${what}: you did more than ${burst} in a short time; one more is allowed every ${refillMs / 1000} s`;
      throw new AppError('TooManyRequests', message, { retryAfter: Math.ceil(early / 1000) });
    }
    this.#fullAt.set(user, fullAt);
  }
}

/** Unsuccessful actions of one person that are recorded one by one in a window; further ones are counted. */
const MAX_ITEMS = 100;
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
    if (count.recorded < MAX_ITEMS) {
      count.recorded += 1;
      return [...over, event];
    }
    count.skipped += 1;
    const until = new Date(count.until).toISOString();
    const first = summary(event, count, `more than ${MAX_ITEMS} in an hour: further ones are counted until ${until}`);
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
