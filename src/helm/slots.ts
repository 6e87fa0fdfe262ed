/** Runs at most so many tasks at once; the others wait in the order they came. */
export interface Slots {
  /** Runs the task when there is room. Rejects without running it when the signal aborts while it waits. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createSlots(size: number): Slots {
  let free = size;
  const waiting: (() => void)[] = [];

  const take = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  const release = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  return {
    run: async (task, signal) => {
      await take(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
