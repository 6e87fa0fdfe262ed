import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { run } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';

// `test/run.ts --timings`: this module is loaded into each file of tests, where it writes down at the end what the process and its children took.

interface Timing {
  readonly file: string;
  readonly wall: number;
  readonly cpu: number;
}

const VARIABLE = 'CHANDLERY_TEST_TIMINGS';
const TICKS_A_SECOND = 100;
const MAX_LINES = 60;

const list = process.env[VARIABLE];
const isFileOfTests = isMainThread && process.argv[1]?.endsWith('.test.ts') === true;
if (list !== undefined && isFileOfTests) process.once('exit', () => appendFileSync(list, `${stringifyJson(timingOfProcess())}\n`));

/** Options for `run` by which each file is timed. */
export function timed(): Pick<NonNullable<Parameters<typeof run>[0]>, 'execArgv'> {
  process.env[VARIABLE] ??= join(mkdtempSync(join(tmpdir(), 'chandlery-timings-')), 'files.jsonl');
  return { execArgv: ['--import', import.meta.url] };
}

/** Prints the files that took most of the processors, and the sums of the folders. */
export function printTimings(): void {
  const path = process.env[VARIABLE] ?? '';
  const timings = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Timing);
  rmSync(path, { force: true });
  const line = ({ file, wall, cpu }: Timing): string => `${cpu.toFixed(1).padStart(8)}${wall.toFixed(1).padStart(8)}  ${file}`;
  const folders = Object.entries(Object.groupBy(timings, ({ file }) => file.split('/').slice(0, 2).join('/')));
  const sums = folders.map(([file, own = []]) => ({ file, wall: sumOf(own, 'wall'), cpu: sumOf(own, 'cpu') }));
  const byCpu = (one: Timing, other: Timing): number => other.cpu - one.cpu;
  const lines = [...timings.toSorted(byCpu).slice(0, MAX_LINES), ...sums.toSorted(byCpu)];
  console.log(['\n   CPU s  wall s', ...lines.map(line)].join('\n'));
}

function sumOf(timings: readonly Timing[], key: 'wall' | 'cpu'): number {
  return timings.reduce((sum, timing) => sum + timing[key], 0);
}

/** The seconds of this process and of all children that have ended, as Linux counts them; elsewhere only its own. */
function timingOfProcess(): Timing {
  return { file: relative(process.cwd(), process.argv[1] ?? ''), wall: process.uptime(), cpu: cpuSeconds() };
}

function cpuSeconds(): number {
  try {
    const fields = (readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? '').split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
