/** Numbers of tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
