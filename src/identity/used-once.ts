/**
 * Ids that count once: states of sign-ins and `jti` of logout tokens. An id is forgotten when whatever carries it has expired anyway; beyond `most`
 * the oldest goes first. Kept in memory: a replay to another replica, or after a restart, finds the session of the id ended already.
 */
export class UsedOnce {
  readonly #until = new Map<string, number>();
  readonly #lifetimeMs: number;
  readonly #most: number;
  readonly #clock: () => number;

  /** @param clock milliseconds since 1970 */
  constructor({ lifetimeMs, most, clock }: { readonly lifetimeMs: number; readonly most: number; readonly clock: () => number }) {
    this.#lifetimeMs = lifetimeMs;
    this.#most = most;
    this.#clock = clock;
  }

  /** Uses the id; false when it was used before. */
  use(id: string): boolean {
    const now = this.#clock();
    for (const [known, until] of this.#until) {
      if (until > now && this.#until.size < this.#most) break;
      this.#until.delete(known);
    }
    if (this.#until.has(id)) return false;
    this.#until.set(id, now + this.#lifetimeMs);
    return true;
  }

  /** Takes a use back, because nothing came of it. */
  release(id: string): void {
    this.#until.delete(id);
  }
}
