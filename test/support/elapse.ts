import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets so many milliseconds pass, or less when the signal aborts. The only timer of the tests: it bounds waits, spaces attempts, and makes outages last
 * and networks slow. A test itself never lets time pass; it waits for what it is about (`eventually`).
 */
export async function elapse(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
