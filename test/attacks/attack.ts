import { machineFactor, measureMachine } from './machine-speed.ts';
import type { Target } from './target.ts';

export type Pace = 'quick' | 'slow';

/** One way in that an attacker tries on the running product. */
export interface Attack {
  /** What is tried, as a sentence: "a developer creates a token Secret for …". */
  readonly title: string;
  /** `slow` ones run by hand alone (`npm run test:attacks`), `quick` ones in every test run too. Default `quick`. */
  readonly pace?: Pace;
  /**
   * Tries it, in as many variants as there are, or in a sample of very many of them where the run is a quick one. Resolves to how many attempts that were,
   * default 1.
   *
   * @throws whatever says that one of them did not hold, e.g. an AssertionError.
   */
  run(target: Target, pace: Pace): Promise<number | undefined | void>;
}

/** The attacks on one part of the product; they run in order and may build on one another. */
export interface Subject {
  readonly name: string;
  readonly attacks: readonly Attack[];
  /** A table for whoever reads the whole run, after the attacks. */
  report?(): string;
}

/** The aim: no request holds the event loop for longer, in milliseconds of work. The table shows where one does. */
export const TURN_AIM_MS = 50;
/**
 * Whether a turn of so many milliseconds fails. A turn is measured by the processor time of the thread of the event loop, so that other programs count only
 * by what they push out of the caches. Twice the aim leaves room for that, and for a pause of the garbage collector, which falls into any turn. A slower machine takes longer for the same work, so
 * that its speed is measured once more before anything fails.
 */
export function isTooLong(workMs: number): boolean {
  const bound = 2 * TURN_AIM_MS;
  return workMs > bound * machineFactor() && workMs > bound * measureMachine();
}

/** A turn that was long once may have been somebody else's, such as a reconciler's, the compiler's or the garbage collector's. */
const TRIES = 3;

/**
 * Asks, and asks again where a turn was too long: what the shortest of the longest turns was, in milliseconds of work, with its answer. A quick run looks for what
 * fails, a slow one for what misses the aim.
 */
export async function shortestOfTries<T>(
  target: Target,
  pace: Pace,
  ask: () => Promise<T>,
): Promise<{ readonly workMs: number; readonly answer: T }> {
  let least: { readonly workMs: number; readonly answer: T } | undefined;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    await target.measure();
    const answer = await ask();
    const { workMs } = await target.measure();
    if (least === undefined || workMs < least.workMs) least = { workMs, answer };
    if (pace === 'quick' ? !isTooLong(least.workMs) : least.workMs <= TURN_AIM_MS) return least;
  }
  return least ?? { workMs: 0, answer: await ask() };
}
