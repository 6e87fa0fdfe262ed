import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from '../../domain/core/fair-queue.ts';
import { personAnswered } from './for-person.ts';
import { FormThread } from './form-thread.ts';
import { FORM_JOBS, type FormJob, type FormJobs } from './jobs.ts';
import { isLight } from './weigh.ts';

/** Jobs of one person that wait beside the one in the thread: about as many pages as anybody opens at once. */
const MOST_WAITING = 6;
/** A page that waits for longer is of no use; the jobs before it may take ten seconds each. */
const LONGEST_WAIT_MS = 30_000;

const thread = new FormThread();
const queue = new FairQueue({ what: 'form', all: 1, perPerson: 1, waiting: MOST_WAITING });

/**
 * Does a job of `FORM_JOBS`: a light one at once, any other in the thread for forms, one after the other and one of each person in turn, so that the event
 * loop serves others meanwhile.
 *
 * @throws AppError that the job throws; `TooLarge` when it takes too long or too much memory, `LimitReached` when too many of the person wait, `TooBusy` when it was
 * not their turn in time.
 */
export async function runFormJob<J extends FormJob>(job: J, ...args: Parameters<FormJobs[J]>): Promise<ReturnType<FormJobs[J]>> {
  // Each job has a turn of its own, whatever was done in the one before.
  await nextTurn();
  const work = FORM_JOBS[job] as unknown as (...input: Parameters<FormJobs[J]>) => ReturnType<FormJobs[J]>;
  if (isLight(job, args)) return work(...args);
  const answer = await queue.run(personAnswered(), AbortSignal.timeout(LONGEST_WAIT_MS), async () => await thread.ask(job, args));
  // What came is copied in this turn; what is done with it has the next.
  await nextTurn();
  return answer as ReturnType<FormJobs[J]>;
}
