/** Runs few tasks at once; the others wait in the order they came. */
export interface Slots {
  /** Runs the task when there is room. Rejects without running it when the signal aborts while it waits. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface SlotsOptions {
  /** How many tasks run at once. */
  readonly size: number;
  /** How many of them compute: a task that runs for longer than two seconds mostly waits for somebody else, such as a hook, and no longer counts. Default: all. */
  readonly computing?: number;
  /** Calls back after so many milliseconds, and gives what takes that back. Default: `setTimeout`. */
  readonly after?: (milliseconds: number, call: () => void) => () => void;
}

const COMPUTES_MS = 2_000;

export function createSlots({ size, computing = size, after = timeout }: SlotsOptions): Slots {
  const room = createRoom({ running: size, computing });
  return {
    run: async (task, signal) => {
      await room.enter(signal);
      let held: readonly Part[] = ['running', 'computing'];
      const cancel = after(COMPUTES_MS, () => {
        held = ['running'];
        room.leave(['computing']);
      });
      try {
        return await task();
      } finally {
        cancel();
        room.leave(held);
      }
    },
  };
}

type Part = 'running' | 'computing';

interface Room {
  /** Resolves when there is room in both parts, and takes it. */
  enter(signal: AbortSignal): Promise<void>;
  leave(parts: readonly Part[]): void;
}

function createRoom(free: Record<Part, number>): Room {
  const waiting = new Set<() => void>();
  const startNext = (): void => {
    for (const start of waiting) {
      if (free.running <= 0 || free.computing <= 0) return;
      waiting.delete(start);
      free.running -= 1;
      free.computing -= 1;
      start();
    }
  };
  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const start = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(start);
        reject(signal.reason as Error);
      };
      waiting.add(start);
      signal.addEventListener('abort', giveUp, { once: true });
      startNext();
      await promise;
    },
    leave: (parts) => {
      for (const part of parts) free[part] += 1;
      startNext();
    },
  };
}

function timeout(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds).unref();
  return () => clearTimeout(timer);
}
