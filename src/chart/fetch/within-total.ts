import { chartError } from '../chart-error.ts';
import type { ChartLimits } from '../limits.ts';

export interface Bounded {
  readonly address: string;
  readonly limits: Pick<ChartLimits, 'totalMs'>;
  readonly signal: AbortSignal;
}

/**
 * Gives a task of several requests the time of one: a server that answers each a moment before its time is up cannot keep us for hours.
 *
 * @throws AppError `ChartUnreachable` when the time is over; the signal's reason when it aborts; what the task throws.
 */
export async function withinTotal<T>({ address, limits, signal }: Bounded, task: (bounded: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(limits.totalMs);
  try {
    return await task(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw chartError('ChartUnreachable', address, 'it took too long in all; try again later', error);
    throw error;
  }
}
