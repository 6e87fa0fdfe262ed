import { AppError } from './errors.ts';

export interface FairQueueBounds {
  /** What the tasks are, in messages: `check`. */
  readonly what: string;
  /** Tasks that run at once. */
  readonly all: number;
  /** Those of one person. */
  readonly perPerson: number;
  /** Further tasks of one person that wait. */
  readonly waiting: number;
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs what takes long, a few tasks at once. People take turns, so whoever asks for much waits for themselves. */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  /** By person; whose turn is next comes first. */
  readonly #lanes = new Map<string, Lane>();
  #running = 0;

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
  }

  /**
   * Runs a task when it is the person's turn.
   *
   * @throws AppError `LimitReached` when too many tasks of the person wait already, `TooBusy` when the signal aborts before its turn; what the task throws.
   */
  async run<T>(user: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(user) ?? { running: 0, waiting: [] };
    if (lane.waiting.length >= this.#bounds.waiting) {
      const message = `${this.#bounds.what}: you have ${lane.running + lane.waiting.length} under way; wait until one of them has finished`;
      throw new AppError('LimitReached', message);
    }
    if (signal.aborted) throw this.#busy('it was given up before it began');
    this.#lanes.set(user, lane);
    try {
      await this.#enter(lane, signal);
      try {
        return await task();
      } finally {
        this.#running -= 1;
        lane.running -= 1;
      }
    } finally {
      if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(user);
      this.#next();
    }
  }

  async #enter(lane: Lane, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      const place = lane.waiting.indexOf(resolve);
      if (place >= 0) lane.waiting.splice(place, 1);
      reject(this.#busy('it was not its turn in time'));
    };
    lane.waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    const entered = promise.finally(() => signal.removeEventListener('abort', leave));
    this.#next();
    await entered;
  }

  #next(): void {
    const { all, perPerson } = this.#bounds;
    for (const [user, lane] of this.#lanes) {
      if (this.#running >= all) return;
      const start = lane.running < perPerson ? lane.waiting.shift() : undefined;
      if (start === undefined) continue;
      this.#running += 1;
      lane.running += 1;
      this.#lanes.delete(user);
      this.#lanes.set(user, lane);
      start();
    }
  }

  #busy(why: string): AppError {
    return new AppError('TooBusy', `${this.#bounds.what}: ${why}; try again when others have finished`);
  }
}
