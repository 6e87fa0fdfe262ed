import type { Counts } from '../support/counts.ts';
import type { Wait } from '../support/waits.ts';

/** What came of a file of tests, or of a program that counts as one. */
export interface FileReport {
  readonly path: string;
  readonly counts: Counts;
  /** The text of each failure, with its place. */
  readonly failures: readonly string[];
  /** Seconds by the clock. */
  readonly wall: number;
  /** Seconds of processors, of the process and of its children that have ended. */
  readonly cpu: number;
  /** Tests that were left out, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly waits: readonly Wait[];
  /** How long each test took by the clock, in milliseconds. */
  readonly tests: readonly { readonly name: string; readonly ms: number }[];
}
