// The process that `bench/index.ts` measures: Chandlery with all of its modules, and the charts as they are composed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../src/compose.ts';
import { createCharts } from '../src/compose/create-charts.ts';
import { parseConfig } from '../src/config.ts';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { createLog } from '../src/observe/log.ts';
import { chartName } from './large-index.ts';
import { type LongestTurn, watchLoop } from './loop-probe.ts';
import { peakMiB } from './peak-memory.ts';

/** What the process found out about itself. Times in milliseconds. */
export interface IndexReport {
  readonly startMiB: number;
  /** The index is downloaded and parsed. */
  readonly index: Step;
  readonly first: Step;
  readonly second: Step;
  /** The first chart once more. */
  readonly interval: Step;
}

export interface Step {
  readonly ms: number;
  readonly turn: LongestTurn;
  /** So far. */
  readonly peakMiB: number;
}

const [repoURL = '', ...argv] = process.argv.slice(2);
const stateDir = await mkdtemp(join(tmpdir(), 'chandlery-bench-index-ours-'));
const charts = await createCharts({
  config: parseConfig(argv, {}),
  repoRoot: join(import.meta.dirname, '..'),
  stateDir,
  log: createLog({ level: 'silent', format: 'lines', write: () => undefined }),
});

try {
  const startMiB = peakMiB(process.pid) ?? 0;
  const index = await step((signal) => charts.versions(sourceOf(0), signal));
  const first = await step((signal) => attempt(0, signal));
  const second = await step((signal) => attempt(1, signal));
  const interval = await step((signal) => attempt(0, signal));
  const report: IndexReport = { startMiB, index, first, second, interval };
  process.stdout.write(stringifyJson(report));
} finally {
  await rm(stateDir, { recursive: true });
}

/** Fetches a chart and lists its versions, as an Operator does. */
async function attempt(chart: number, signal: AbortSignal): Promise<void> {
  await charts.fetch(sourceOf(chart), signal);
  await charts.versions(sourceOf(chart), signal);
}

function sourceOf(chart: number) {
  return { kind: 'repository', repoURL, name: chartName(chart), version: '' } as const;
}

async function step(task: (signal: AbortSignal) => Promise<unknown>): Promise<Step> {
  const longestTurn = watchLoop();
  const start = performance.now();
  await task(AbortSignal.timeout(300_000));
  return { ms: performance.now() - start, turn: longestTurn(), peakMiB: peakMiB(process.pid) ?? 0 };
}
