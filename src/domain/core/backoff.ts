export interface BackoffOptions {
  /** The delay before the first retry, in milliseconds. */
  readonly first: number;
  /** No delay is longer, in milliseconds. */
  readonly longest: number;
}

/**
 * The delay before a retry: doubles with each failure up to the longest one, then loses up to half of itself at random, so that many
 * waiters do not come back at the same moment.
 *
 * @param failures how many attempts in a row have failed; 1 or more.
 * @param random a number from 0 (included) to 1 (excluded).
 * @returns whole milliseconds.
 */
export function backoffDelay(failures: number, { first, longest }: BackoffOptions, random: number): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
  return Math.round(full * (1 - random / 2));
}
