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
/** What fails. The same work takes several times as long beside other programs, and what holds the loop for good takes seconds. */
export const TURN_BOUND_MS = 250;
