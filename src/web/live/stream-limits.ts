import { AppError } from '../../domain/core/errors.ts';

/** Live streams that are open at once. */
const MOST = { session: 10, person: 50, all: 2000 } as const;

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
   * @throws AppError `LimitReached` when there is none, `TooBusy` when all together have too many.
   */
  take({ session, user }: StreamOwner): () => void {
    const keys = { session: `session ${session}`, person: `person ${user}`, all: 'all' };
    const count = (key: string): number => this.#open.get(key) ?? 0;
    if (count(keys.session) >= MOST.session) throw full(`${MOST.session} for one session`, 'LimitReached');
    if (count(keys.person) >= MOST.person) throw full(`${MOST.person} for one person`, 'LimitReached');
    if (count(keys.all) >= MOST.all) throw full(`${MOST.all} for everybody together`, 'TooBusy');
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

function full(which: string, code: 'LimitReached' | 'TooBusy'): AppError {
  return new AppError(code, `live updates: there are ${which} already; close other tabs, or refresh the page by hand`);
}
