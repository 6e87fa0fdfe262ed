import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import { FormThread } from './form-thread.ts';
import { FORM_JOBS, type FormJob, type FormJobs } from './jobs.ts';
import { isLight } from './weigh.ts';

const MOST_WAITING = 16;

const thread = new FormThread();
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Does a job of `FORM_JOBS`: a light one at once, any other in the thread for forms, one after the other, so that the event loop serves others meanwhile.
 *
 * @throws AppError that the job throws; `TooLarge` when it takes too long or too much memory, `TooManyRequests` when too many wait.
 */
export async function runFormJob<J extends FormJob>(job: J, ...args: Parameters<FormJobs[J]>): Promise<ReturnType<FormJobs[J]>> {
  // Each job has a turn of its own, whatever was done in the one before.
  await nextTurn();
  const work = FORM_JOBS[job] as unknown as (...input: Parameters<FormJobs[J]>) => ReturnType<FormJobs[J]>;
  if (isLight(job, args)) return work(...args);
  if (waiting >= MOST_WAITING)
    throw new AppError('TooManyRequests', 'form: many other large forms are waiting. Try again in some seconds', { retryAfter: 5 });
  waiting += 1;
  const answer = last.then(async () => await thread.ask(job, args));
  last = answer.catch(() => undefined);
  try {
    return (await answer) as ReturnType<FormJobs[J]>;
  } finally {
    waiting -= 1;
    // What came is copied in this turn; what is done with it has the next.
    await nextTurn();
  }
}
