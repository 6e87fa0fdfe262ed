import { AppError } from '../../domain/core/errors.ts';

/**
 * Runs what fetches, renders and checks a chart while somebody waits for it.
 *
 * @throws AppError `ChartUnreachable` when the time is up, and whatever the task throws.
 */
export async function withPatience<T>(milliseconds: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return await task(signal);
  } catch (error) {
    throw orTooLate(error, signal);
  }
}

/** What was thrown; once the time of the signal is up, an AppError that says so. */
export function orTooLate(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError || !signal.aborted) return error;
  const why = 'it could not be fetched, rendered and checked in time, because its source or the cluster is slow; try again later';
  return new AppError('ChartUnreachable', `chart: ${why}`, { cause: error });
}
