/** Work under way, by what it is for. */
export type SharedWork<T> = Map<string, Shared<T>>;

interface Shared<T> {
  readonly promise: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs a task once for concurrent callers of the same key. A caller that aborts stops waiting; the task is aborted when its last caller is gone.
 *
 * @param work what is under way, and shared by the callers.
 * @throws what the task throws; the signal's reason when it aborts.
 */
export async function shareWork<T>(
  work: SharedWork<T>,
  key: string,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const shared = work.get(key) ?? begin(work, key, task);
  shared.waiting += 1;
  let giveUp: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([shared.promise, aborted]);
  } finally {
    if (giveUp !== undefined) signal.removeEventListener('abort', giveUp);
    shared.waiting -= 1;
    if (shared.waiting === 0) {
      // Whoever comes now must not share what is being stopped.
      if (work.get(key) === shared) work.delete(key);
      shared.stop.abort();
    }
  }
}

function begin<T>(work: SharedWork<T>, key: string, task: (signal: AbortSignal) => Promise<T>): Shared<T> {
  const stop = new AbortController();
  const shared: Shared<T> = { promise: task(stop.signal), stop, waiting: 0 };
  const end = (): void => {
    if (work.get(key) === shared) work.delete(key);
  };
  shared.promise.then(end, end);
  work.set(key, shared);
  return shared;
}
