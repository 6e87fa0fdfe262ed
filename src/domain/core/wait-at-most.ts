import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a promise is fulfilled or rejected, but no longer than `ms`: what hangs must not keep us from stopping.
 *
 * @returns whether it was in time.
 */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const ended = promise.then(
    () => true,
    () => true,
  );
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([ended, late]);
  } finally {
    timer.abort();
  }
}
