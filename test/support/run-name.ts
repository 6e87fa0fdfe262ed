import { createHash, randomBytes } from 'node:crypto';

/**
 * Six hexadecimal digits for the names of what a process of tests makes, so that those of one run keep apart on one cluster: decided by the printed seed of
 * the run and the files of the process, so that a run can be repeated.
 */
export const RUN = runName(process.env['CHANDLERY_TEST_SEED'], process.env['CHANDLERY_TEST_FILES']);

function runName(seed: string | undefined, files = ''): string {
  if (seed === undefined) return randomBytes(3).toString('hex');
  return createHash('sha256').update(`${seed} ${files}`).digest('hex').slice(0, 6);
}
