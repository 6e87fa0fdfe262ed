import { backoffDelay } from '../../domain/core/backoff.ts';
import { AppError } from '../../domain/core/errors.ts';
import { isReset } from './failure.ts';

const ATTEMPTS = 4;
const BACKOFF = { first: 100, longest: 2_000 };
const LONGEST_WAIT_MS = 10_000;

/**
 * How long to wait before a read is tried again; undefined when it should not be. Only answers that say "later" (429 and 503, which carry
 * `retryAfter`) and connections that broke in use are worth another try; a wait of more than ten seconds is for the caller to decide.
 *
 * @param failures attempts that have failed, 1 or more.
 * @returns milliseconds.
 */
export function retryDelay(error: unknown, failures: number, random: number): number | undefined {
  if (failures >= ATTEMPTS || !(error instanceof AppError)) return undefined;
  const backoff = backoffDelay(failures, BACKOFF, random);
  if (error.retryAfter === undefined) return isReset(error) ? backoff : undefined;
  const asked = error.retryAfter * 1_000;
  return asked > LONGEST_WAIT_MS ? undefined : Math.max(asked, backoff);
}
