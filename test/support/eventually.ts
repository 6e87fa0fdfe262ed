import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Asks again and again until the answer is something other than undefined or false; fails after `seconds` with the last error, or a
 * sentence about what did not happen.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, what: string, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await delay(POLL_MS);
  } while (Date.now() < end);
  throw new Error(`not within ${seconds} s: ${what}`, { cause: last });
}
