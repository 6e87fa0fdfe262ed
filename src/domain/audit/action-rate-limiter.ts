import { AppError } from '../core/errors.ts';

export interface ActionRateLimit {
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
