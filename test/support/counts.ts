export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What node tells at the end of a run, as three numbers that add up. */
export function countsOf(reported: {
  readonly passed: number;
  readonly tests: number;
  readonly skipped: number;
  readonly todo: number;
}): Counts {
  const skipped = reported.skipped + reported.todo;
  return { passed: reported.passed, failed: reported.tests - reported.passed - skipped, skipped };
}
