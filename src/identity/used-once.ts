import { LRUCache } from 'lru-cache';

/**
 * Ids that count once: states of sign-ins and `jti` of logout tokens. An id is forgotten when whatever carries it has expired anyway; beyond `most`
 * the oldest goes first. Kept in memory: a replay to another replica, or after a restart, finds the session of the id ended already.
 */
export class UsedOnce {
  readonly #used: LRUCache<string, true>;

  /** @param clock milliseconds since 1970 */
  constructor({ lifetimeMs, most, clock }: { readonly lifetimeMs: number; readonly most: number; readonly clock: () => number }) {
    this.#used = new LRUCache({ max: most, ttl: lifetimeMs, ttlResolution: 0, perf: { now: clock } });
  }

  /** Uses the id; false when it was used before. */
  use(id: string): boolean {
    if (this.#used.has(id)) return false;
    this.#used.set(id, true);
    return true;
  }

  /** Takes a use back, because nothing came of it. */
  release(id: string): void {
    this.#used.delete(id);
  }
}
