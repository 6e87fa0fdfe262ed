import { setTimeout as wait } from 'node:timers/promises';

/** Readings of live streams wait for their turn here, so that what they cost has a bound however many streams there are. */
export interface ReadingTurns {
  /** Reads when it is the person's turn; undefined when the signal aborts before. */
  take<T>(person: string, signal: AbortSignal, read: () => Promise<T>): Promise<T | undefined>;
}

export interface Pace {
  /** Milliseconds between the beginnings of two readings of one person; they come one after another, with a pause as long as the first of them took, or five seconds. */
  readonly personMs: number;
  /** Milliseconds between two readings of anybody. */
  readonly allMs: number;
}

/** Two a second for a person, twenty for all: a reading makes up to thirty calls to the api-server. Of a namespace with a hundred thousand objects one takes seconds. */
const PACE: Pace = { personMs: 500, allMs: 50 };

const MAX_PAUSE_MS = 5_000;

/** Time as a parameter, so that tests never sleep. */
export interface TurnClock {
  /** Milliseconds; only goes forward. */
  now(): number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Each person has a queue and at most one reading in the queue of all, so that nobody's many streams hold back somebody's one. */
export function createReadingTurns(
  { personMs, allMs }: Pace = PACE,
  clock: TurnClock = { now: () => performance.now(), pause },
): ReadingTurns {
  const queues = new Map<string, Promise<void>>();
  let nextForAll = 0;

  const ofAll = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const at = Math.max(now, nextForAll);
    nextForAll = at + allMs;
    await clock.pause(at - now, signal);
  };
  return {
    take: async (person, signal, read) => {
      const before = queues.get(person) ?? Promise.resolve();
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const queue = before.then(() => over);
      queues.set(person, queue);
      void queue.then(() => (queues.get(person) === queue ? queues.delete(person) : undefined));
      await before;
      if (!signal.aborted) await ofAll(signal);
      if (signal.aborted) {
        end();
        return undefined;
      }
      const began = clock.now();
      try {
        return await read();
      } finally {
        const took = clock.now() - began;
        void clock.pause(Math.max(personMs - took, Math.min(took, MAX_PAUSE_MS))).then(end);
      }
    },
  };
}

/** Resolves after a while, or when the signal aborts. A pause without a signal does not keep the process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? { ref: false } : { signal };
  if (milliseconds > 0) await wait(milliseconds, undefined, options).catch(() => undefined);
}
