import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { type Counts, countsOf } from './support/counts.ts';
import { builtGitea } from './support/gitea.ts';
import { printTimings, timed } from './support/timings.ts';

/** What words of the command line mean, the long files first. */
const GROUPS: Readonly<Record<string, string>> = {
  attacks: 'test/attacks/**/*.test.ts',
  web: 'test/web/**/*.test.ts',
  cluster: 'test/cluster/**/*.test.ts',
  http: 'test/http/**/*.test.ts',
  unit: 'test/{architecture.test.ts,unit/**/*.test.ts}',
};
const CHECKS = ['types', 'lint', 'format'];
/** Small files of pure functions. Hooks outside of any suite would be those of all files of the process. */
const PURE = /^test\/unit\/(api|cli|domain|form|operation|reconcile|web)\//;
const ROOT_HOOK = /^(before|after)(Each)?\(/m;
/** What files of one run share, and how one sees that a file takes part. */
const WORLDS = [
  { name: 'product', isUsedIn: /support\/shared-product\.ts'/ },
  { name: 'cluster', isUsedIn: /sharedCluster\(|support\/(app-world|operator-test-world|preview-world|source-world)\.ts'/ },
] as const;
const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const FORGE = /support\/gitea\.ts'/;
/** One of them runs every quick attack on the product. */
const MAX_TEST_MS = 20 * 60_000;

const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const [options, wanted] = [process.argv.slice(2).filter(isOption), process.argv.slice(2).filter((word) => !isOption(word))];
const files = Object.entries(GROUPS).flatMap(([name, pattern]) => chosenOf(name, globSync(pattern).sort()));
const isTimed = options.includes('--timings');
// Types are stripped once for all files, and code is compiled once.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/chandlery/compiled');

// A machine that never built the forge needs ten minutes for it, so that begins at once. Where it fails, the tests of the forge say why.
const forge = files.some(uses(FORGE)) ? builtGitea().catch(() => undefined) : undefined;
await runAll(files);
if (isTimed) printTimings();
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);

function isOption(word: string): boolean {
  return word.startsWith('--');
}

function chosenOf(group: string, all: readonly string[]): readonly string[] {
  if (wanted.length === 0 || wanted.includes(group)) return all;
  return all.filter((file) => wanted.some((path) => path.startsWith('test/') && file.startsWith(path)));
}

async function runChecks(): Promise<void> {
  for (const name of CHECKS) await check(name);
}

async function check(name: string): Promise<void> {
  const [status] = (await once(spawn(process.execPath, ['bin/check.mjs', name], { stdio: 'inherit' }), 'exit')) as [number | undefined];
  console.log(`${status === 0 ? '✔' : '✖'} check ${name}`);
  counts[status === 0 ? 'passed' : 'failed'] += 1;
}

function uses(pattern: RegExp): (file: string) => boolean {
  return (file) => pattern.test(readFileSync(file, 'utf8'));
}

/**
 * A small machine has two cores. The attacks measure their product, so they have one of them to themselves; then the files on the shared product run one after
 * another there. The other core runs the checks, the units and all other files, and from the end of the attacks on two of these at a time. Those without a
 * cluster come first, because the programs of a cluster need more than one core.
 */
async function runAll(all: readonly string[]): Promise<void> {
  const { attacks = [], units = [], product = [], others = [], cluster = [] } = Object.groupBy(all, partOf);
  const worlds = WORLDS.map(({ name, isUsedIn }) => sharedWorld(name, all.filter(uses(isUsedIn))));
  const runFile = async (file: string): Promise<void> => {
    for (const world of worlds) await world.startFor(file);
    await runFiles([file]);
  };
  const queue = [...others, ...cluster];
  const runQueue = async (): Promise<void> => await runEach(queue, runFile);
  const firstCore = async (): Promise<void> => {
    await runEach([...attacks], runFile);
    await Promise.all([runEach([...product], runFile), runQueue()]);
  };
  const secondCore = async (): Promise<void> => {
    if (wanted.length === 0 || wanted.includes('check')) await runChecks();
    await runUnits(units);
    await runQueue();
  };
  await Promise.all([firstCore(), secondCore()]);
  await Promise.all(worlds.map(async (world) => await world.stop()));
}

function partOf(file: string): 'attacks' | 'units' | 'product' | 'cluster' | 'others' {
  if (file.startsWith('test/attacks/')) return 'attacks';
  if (file.startsWith('test/unit/') || file === 'test/architecture.test.ts') return 'units';
  if (uses(WORLDS[0].isUsedIn)(file)) return 'product';
  return file.startsWith('test/cluster/') ? 'cluster' : 'others';
}

/** Takes from the front of a list, which others may do at the same time. */
async function runEach(queue: string[], run: (file: string) => Promise<void>): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) await run(file);
}

/** What several files share, from the first of them to the end of the run. A single file starts its own. */
function sharedWorld(name: string, users: readonly string[]): { startFor(file: string): Promise<void>; stop(): Promise<void> } {
  let started: Promise<ChildProcess | undefined> | undefined;
  return {
    startFor: async (file) => {
      if (users.length > 1 && users.includes(file)) await (started ??= startWorld(name));
    },
    stop: async () => {
      const child = await started;
      if (child === undefined || child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function startWorld(name: string): Promise<ChildProcess | undefined> {
  const child = fork('test/support/shared-world.ts', [name]);
  const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    { environment?: object; failure?: string } | number,
  ];
  const { environment, failure = 'it ended' } = typeof told === 'object' ? told : {};
  if (environment === undefined) {
    console.log(`✖ the ${name} that tests share did not start: ${failure}; each file starts its own`);
    counts.failed += 1;
    return undefined;
  }
  Object.assign(process.env, environment);
  return child;
}

/** Each in a process of its own, one after another. */
async function runFiles(own: readonly string[]): Promise<void> {
  if (own.some(uses(FORGE))) await forge;
  const stream = run({ files: [...own], concurrency: 1, timeout: MAX_TEST_MS, ...(isTimed ? timed() : {}) });
  const ended = new Promise<void>((resolve) => {
    stream.on('test:summary', ({ file, counts: summary }) => {
      if (file === undefined) add(countsOf(summary));
    });
    stream.once('end', resolve);
  });
  Readable.from(withoutTotals(stream)).compose(new spec()).pipe(process.stdout, { end: false });
  await ended;
}

/** The run prints the totals of all files at its end. */
async function* withoutTotals(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) if (event.type !== 'test:diagnostic' || !TOTAL.test(event.data.message)) yield event;
}

async function runUnits(own: readonly string[]): Promise<void> {
  const pure = own.filter((file) => !isTimed && PURE.test(file) && !ROOT_HOOK.test(readFileSync(file, 'utf8')));
  if (pure.length > 0) await inOneProcess(pure);
  const others = own.filter((file) => !pure.includes(file));
  if (others.length > 0) await runFiles(others);
}

/** Loading the same modules anew for every small file takes longer than most of their tests. */
async function inOneProcess(own: readonly string[]): Promise<void> {
  const child = fork('test/support/one-process.ts', [...own], { timeout: MAX_TEST_MS });
  const told: Counts[] = [];
  child.on('message', (message: Counts) => told.push(message));
  await once(child, 'exit');
  add(told[0] ?? { passed: 0, failed: 1, skipped: 0 });
}

function add(own: Counts): void {
  counts.passed += own.passed;
  counts.failed += own.failed;
  counts.skipped += own.skipped;
}
