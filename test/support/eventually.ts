import { setTimeout as delay } from 'node:timers/promises';

/** What takes longer is asked for less often: each answer takes time from what it waits for. */
const POLL = { shortest: 50, longest: 500, share: 0.15 };

/**
 * Asks again and again until the answer is something other than undefined or false; fails after `seconds` with the last error, or a
 * sentence about what did not happen.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, what: string, seconds = 60): Promise<T> {
  const begin = Date.now();
  const end = begin + seconds * 1000;
  let last: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await delay(Math.min(POLL.longest, Math.max(POLL.shortest, (Date.now() - begin) * POLL.share)));
  } while (Date.now() < end);
  throw new Error(`not within ${seconds} s: ${what}`, { cause: last });
}
