import { AppError } from '../../src/domain/core/errors.ts';
import { serveJobs } from '../../src/thread/serve-jobs.ts';

/** Jobs that end in every way that a job can end. */
export const ODD_JOBS = { count, reject, countTo, loop, hoard, descend, fail };

serveJobs(ODD_JOBS);

let counted = 0;

function count(): number {
  counted += 1;
  return counted;
}

function reject(): never {
  throw new AppError('InvalidInput', 'no', { faults: [{ field: 'spec.a', message: 'wrong' }] });
}

function* countTo(last: number, then: 'end' | 'loop'): Generator<number, string> {
  for (let number = 1; number <= last; number += 1) yield number;
  return then === 'loop' ? loop() : 'done';
}

function loop(): never {
  for (;;);
}

function hoard(): never {
  const kept: object[] = [];
  for (;;) kept.push({ at: kept.length, text: String(kept.length) });
}

function descend(): number {
  return descend() + 1;
}

function fail(): never {
  throw new TypeError('a fault of ours');
}
