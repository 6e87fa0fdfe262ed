import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { UpgradePorts } from './upgrade-ports.ts';

/**
 * Runs what fetches, renders and checks a chart while the actor waits for it, in turn with the checks of others. The time includes the wait for the turn.
 *
 * @throws AppError `ChartUnreachable` when the time is up, and whatever the queue and the task throw.
 */
export async function runQueued<T>(
  { queue }: Pick<UpgradePorts, 'queue'>,
  { actor, milliseconds }: { readonly actor: Actor; readonly milliseconds: number },
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return await queue.run(actor.user, signal, () => task(signal));
  } catch (error) {
    throw orTimeout(error, signal);
  }
}

/** What was thrown; once the time of the signal is up, an AppError that says so. */
export function orTimeout(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError || !signal.aborted) return error;
  const why = 'it could not be fetched, rendered and checked in time, because its source or the cluster is slow; try again later';
  return new AppError('ChartUnreachable', `chart: ${why}`, { cause: error });
}
