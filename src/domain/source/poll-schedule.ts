import { createHash } from 'node:crypto';

/**
 * When a source is asked for a new revision next, in milliseconds since 1970: at the same times after each start of a controller, so that every process can
 * tell them without asking, and at other times than other sources.
 *
 * @param source its name.
 * @param interval in milliseconds.
 */
export function nextPollAt(source: string, { interval, now }: { readonly interval: number; readonly now: number }): number {
  const offset = createHash('sha256').update(source).digest().readUInt32BE() % interval;
  return now + interval - ((((now - offset) % interval) + interval) % interval);
}
