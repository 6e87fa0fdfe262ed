import { backoffDelay, type BackoffOptions } from '../domain/core/backoff.ts';

/** Counts failures in a row, per key. */
export interface Backoff {
  /** Counts one more failure of the key; milliseconds to wait before it is tried again. */
  failed(key: string): number;
  /** Forgets the failures of the key. */
  succeeded(key: string): void;
  failures(key: string): number;
}

/** @param random a number from 0 (included) to 1 (excluded). */
export function createBackoff(options: BackoffOptions, random: () => number): Backoff {
  const counts = new Map<string, number>();
  return {
    failed: (key) => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return backoffDelay(count, options, random());
    },
    succeeded: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}
