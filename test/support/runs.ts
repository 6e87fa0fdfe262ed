import { TEST_SET } from './test-set.ts';

/** `npm test` tries fewer inputs than `npm run test:all`, which has other tests of the same to find what is rare. */
const SHARE = TEST_SET === 'all' ? 1 : 0.3;

/** How many inputs a property is tried with, `CHANDLERY_TEST_RUNS` times as many where that is set: a day of looking, or a hunt for a fault seen once. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * SHARE * Number(process.env['CHANDLERY_TEST_RUNS'] ?? 1)));
}

/** One of four in `npm test`, all in `npm run test:all`: of inputs that are much alike. */
export function fewOf<T>(inputs: readonly T[]): readonly T[] {
  return TEST_SET === 'all' ? inputs : inputs.filter((_, index) => index % 4 === 0);
}
