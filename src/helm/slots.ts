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
  const free = { running: size, computing };
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

  const take = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      waiting.delete(enter);
      reject(signal.reason as Error);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    waiting.add(enter);
    signal.addEventListener('abort', leave, { once: true });
    startNext();
    await promise;
  };

  const computed = (): void => {
    free.computing += 1;
    startNext();
  };

  return {
    run: async (task, signal) => {
      await take(signal);
      let end = computed;
      const cancel = after(COMPUTES_MS, () => {
        end = startNext;
        computed();
      });
      try {
        return await task();
      } finally {
        cancel();
        free.running += 1;
        end();
      }
    },
  };
}

function timeout(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds).unref();
  return () => clearTimeout(timer);
}
