export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What node tells at the end of a run, as three numbers that add up. */
export function countsOf(told: {
  readonly passed: number;
  readonly tests: number;
  readonly skipped: number;
  readonly todo: number;
}): Counts {
  const skipped = told.skipped + told.todo;
  return { passed: told.passed, failed: told.tests - told.passed - skipped, skipped };
}
