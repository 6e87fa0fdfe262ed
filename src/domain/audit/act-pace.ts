import { AppError } from '../errors.ts';

/** Acts that one person can do at once. */
const BURST = 600;
/** One more each second. */
const REFILL_MS = 1000;

/** How fast one person can act: each act is an entry of the audit log, which is bounded, so nobody may push out what others did. */
export class ActPace {
  /** When a person's allowance is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();

  /** @throws AppError `TooManyRequests` when the person has acted too often. */
  take(user: string, now: number): void {
    if (this.#fullAt.size > 1000) for (const [known, at] of this.#fullAt) if (at <= now) this.#fullAt.delete(known);
    const fullAt = Math.max(now, this.#fullAt.get(user) ?? 0) + REFILL_MS;
    if (fullAt - now > BURST * REFILL_MS) {
      const message = `acts: you did more than ${BURST} in a short time; one more is allowed each second`;
      throw new AppError('TooManyRequests', message, { retryAfter: Math.ceil(REFILL_MS / 1000) });
    }
    this.#fullAt.set(user, fullAt);
  }
}
