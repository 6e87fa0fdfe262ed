import { cpuSeconds } from './cpu-seconds.ts';
import type { FileReport } from './report.ts';
import type { TestFile } from './test-files.ts';

/** What a run has found so far. */
export interface RunResult {
  /** Says what came of a file, and where it failed what its process printed meanwhile. */
  add(file: FileReport, printed?: string): void;
  /** A failure of no test: a process that was left behind, a world that did not start. */
  fail(text: string): void;
  worldTook(name: string, cpu: number): void;
  /** CPU seconds by file. */
  seconds(): Readonly<Record<string, number>>;
  isGreen(): boolean;
  print(timings: 'all timings' | 'the slowest'): void;
}

const SLOWEST = 10;
const SLOWEST_TESTS = 100;
const MAX_PRINTED = 6_000;
/** A wait that ended this long after the last change that was told has missed its signal. */
const MISSED_MS = 400;

/** Collects what tests report, and says a line about each file as it ends. */
export function createRunResult({ seed, leftOut }: { readonly seed: string; readonly leftOut: readonly TestFile[] }): RunResult {
  const began = performance.now();
  const files: FileReport[] = [];
  const failures: string[] = [];
  const worlds: [string, number][] = [];
  const sum = (key: keyof FileReport['counts']): number => files.reduce((total, { counts }) => total + counts[key], 0);
  let others = 0;
  return {
    add: (file, printed = '') => {
      files.push(file);
      failures.push(...file.failures);
      for (const text of [lineOf(file), ...file.failures]) console.log(text);
      if (file.failures.length > 0 && printed !== '') console.log(printed.slice(-MAX_PRINTED));
    },
    fail: (text) => {
      others += 1;
      failures.push(text);
      console.log(text);
    },
    worldTook: (name, cpu) => void worlds.push([name, cpu]),
    seconds: () => Object.fromEntries(files.map(({ path, cpu }) => [path, cpu])),
    isGreen: () => others + sum('failed') === 0 && sum('passed') > 0,
    print: (timings) => {
      console.log(timingsOf(files, timings === 'all timings' ? files.length : SLOWEST));
      if (timings === 'all timings') console.log(slowestTests(files));
      console.log(waitsOf(files));
      for (const [name, cpu] of worlds) console.log(`the shared ${name}: ${cpu.toFixed(0)} CPU seconds`);
      console.log(notRun(files, leftOut));
      for (const text of failures) console.log(`\n${text}`);
      const [wall, cpu] = [(performance.now() - began) / 1_000, cpuSeconds()];
      console.log(`\n${wall.toFixed(0)} s, ${cpu.toFixed(0)} CPU seconds, seed ${seed}`);
      console.log(`${sum('passed')} passed, ${sum('failed') + others} failed, ${sum('skipped')} skipped`);
    },
  };
}

function lineOf({ path, counts, wall, cpu }: FileReport): string {
  const { passed, failed, skipped } = counts;
  const numbers = [`${passed} passed`, ...(failed > 0 ? [`${failed} FAILED`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `${failed === 0 ? '✔' : '✖'} ${path}  ${numbers.join(', ')}  ${wall.toFixed(1)} s, ${cpu.toFixed(1)} CPU s`;
}

function timingsOf(files: readonly FileReport[], count: number): string {
  const slowest = files.toSorted((one, other) => other.wall - one.wall).slice(0, count);
  const line = ({ path, wall, cpu }: FileReport): string => `${wall.toFixed(1).padStart(8)}${cpu.toFixed(1).padStart(8)}  ${path}`;
  return ['\n  wall s   CPU s', ...slowest.map(line)].join('\n');
}

function slowestTests(files: readonly FileReport[]): string {
  const tests = files.flatMap(({ path, tests: own }) => own.map((test) => ({ path, ...test }))).toSorted((one, other) => other.ms - one.ms);
  const lines = tests.slice(0, SLOWEST_TESTS).map(({ path, name, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)}  ${path}: ${name}`);
  return ['\nThe slowest tests, wall s:', ...lines].join('\n');
}

/** The waits that ended although no signal had come: each is polled for, and lasts longer than it has to. */
function waitsOf(files: readonly FileReport[]): string {
  const missed = files.flatMap(({ path, waits }) =>
    waits.filter(({ trigger, pause }) => trigger === 'Silent' && pause >= MISSED_MS).map((wait) => ({ path, ...wait })),
  );
  const lines = missed.toSorted((one, other) => other.pause - one.pause).slice(0, SLOWEST);
  const all = files.reduce((total, { waits }) => total + waits.length, 0);
  return [
    `\n${all} waits, ${missed.length} of them ended without a signal`,
    ...lines.map(({ path, what, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)}  ${path}: ${what}`),
  ].join('\n');
}

function notRun(files: readonly FileReport[], leftOut: readonly TestFile[]): string {
  const skipped = files.flatMap(({ path, skipped: own }) => own.map(({ name, reason }) => `  ${path}: ${name}: ${reason}`));
  const extended = leftOut.map(({ path, extended: reason }) => `  ${path}: ${reason ?? ''}`);
  return [
    ...(skipped.length === 0 ? [] : ['\nSkipped:', ...skipped]),
    ...(extended.length === 0 ? [] : ['\nIn `npm run test:all` only:', ...extended]),
  ].join('\n');
}
