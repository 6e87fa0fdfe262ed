import { AppError } from '../core/errors.ts';

export interface PaceBounds {
  /** Acts that one person can do at once. */
  readonly burst: number;
  /** One more after each of these. */
  readonly refillMs: number;
  /** What is bounded, for the message: `acts`. */
  readonly what: string;
}

/** Each act is an entry of the audit log, which is bounded, so nobody may push out what others did. */
export const ANY_ACT: PaceBounds = { burst: 600, refillMs: 1000, what: 'acts' };
/** Thirty a minute: each install is work for the cluster and for the app's operator. */
export const INSTALLS: PaceBounds = { burst: 30, refillMs: 2000, what: 'installs' };

/** How fast one person can act. */
export class ActPace {
  readonly #bounds: PaceBounds;
  /** When a person's allowance is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();

  constructor(bounds: PaceBounds = ANY_ACT) {
    this.#bounds = bounds;
  }

  /** @throws AppError `TooManyRequests` when the person has acted too often, with the seconds until the next act is allowed. */
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
