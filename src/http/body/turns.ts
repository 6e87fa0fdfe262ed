import { AppError } from '../../domain/core/errors.ts';

/** Lets one large request of each person be worked on at a time, and few of all people. */
export interface Turns {
  /**
   * Resolves when it is the request's turn, with the function that ends it.
   *
   * @param signal aborts when the request has gone: it leaves the queue.
   * @throws AppError `LimitReached` when too many of the owner's wait already.
   */
  take(owner: string, signal: AbortSignal): Promise<() => void>;
}

export interface TurnsLimits {
  /** At once, of different owners. */
  readonly all: number;
  /** Of one owner that wait. */
  readonly waiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly start: () => void;
}

/** A queue in which each owner has one place: whoever sends a hundred large requests waits for themselves, not others for them. */
export function createTurns({ all, waiting: mostWaiting }: TurnsLimits): Turns {
  const active = new Set<string>();
  const queue: Waiting[] = [];
  const next = (): void => {
    const at = active.size < all ? queue.findIndex(({ owner }) => !active.has(owner)) : -1;
    if (at < 0) return;
    const [first] = queue.splice(at, 1);
    if (first === undefined) return;
    active.add(first.owner);
    first.start();
  };
  const endOf = (owner: string) => (): void => {
    active.delete(owner);
    next();
  };
  return {
    take: (owner, signal) => {
      if (queue.filter((other) => other.owner === owner).length >= mostWaiting) {
        const message = 'requests: too many of your large bodies are waiting: send one after the other';
        throw new AppError('LimitReached', message);
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = { owner, start: () => resolve(endOf(owner)) };
      const leave = (): void => {
        const at = queue.indexOf(waiting);
        if (at < 0) return;
        queue.splice(at, 1);
        reject(new AppError('MalformedRequest', 'request: it was cancelled before its turn'));
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiting);
      next();
      if (signal.aborted) leave();
      return promise;
    },
  };
}
