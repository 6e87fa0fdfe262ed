import { AppError } from '../../domain/core/errors.ts';

/** Live streams that are open at once. */
const MOST = { session: 10, person: 50, all: 2000 } as const;
/** Streams end after five minutes at the latest, most of them much earlier. */
const RETRY_SECONDS = 30;

/** Whose a stream is: the session or token that opened it, and the user name. */
export interface StreamOwner {
  readonly session: string;
  readonly user: string;
}

/** Counts the streams of each session, of each person and of all. */
export class StreamLimits {
  readonly #open = new Map<string, number>();

  /**
   * Takes a place; the answer gives it back.
   *
   * @throws AppError `TooManyRequests` when there is none.
   */
  take({ session, user }: StreamOwner): () => void {
    const keys = { session: `session ${session}`, person: `person ${user}`, all: 'all' };
    const count = (key: string): number => this.#open.get(key) ?? 0;
    if (count(keys.session) >= MOST.session) throw full(`${MOST.session} for one session`);
    if (count(keys.person) >= MOST.person) throw full(`${MOST.person} for one person`);
    if (count(keys.all) >= MOST.all) throw full(`${MOST.all} for everybody together`);
    const all = Object.values(keys);
    for (const key of all) this.#open.set(key, count(key) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const key of all) {
        if (count(key) <= 1) this.#open.delete(key);
        else this.#open.set(key, count(key) - 1);
      }
    };
  }
}

function full(which: string): AppError {
  const message = `live updates: there are ${which} already; close other tabs, or refresh the page by hand`;
  return new AppError('TooManyRequests', message, { retryAfter: RETRY_SECONDS });
}
