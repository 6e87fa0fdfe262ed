import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { type Counts, countsOf } from './support/counts.ts';
import { onFailure } from './support/failures.ts';
import { builtGitea } from './support/gitea.ts';
import { printTimings, timed } from './support/timings.ts';

/** Files that run beside those of other lanes. A small machine has two cores. */
interface Lane {
  readonly name: string;
  readonly files: readonly string[];
  run(files: readonly string[]): Promise<unknown>;
}

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
  { name: 'cluster', isUsedIn: /sharedCluster\(|support\/(app-world|instance-world|operator-test-world|preview-world|source-world)\.ts'/ },
] as const;
/** One of them runs every quick attack on the product. */
const MAX_TEST_MS = 20 * 60_000;

const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
/** Told once more at the end, where nobody has to look for them. */
const failures: string[] = [];
const [options, wanted] = [process.argv.slice(2).filter(isOption), process.argv.slice(2).filter((word) => !isOption(word))];
const files = Object.entries(GROUPS).flatMap(([name, pattern]) => chosenOf(name, globSync(pattern).sort()));
const isTimed = options.includes('--timings');
// Types are stripped once for all files, and code is compiled once.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/chandlery/compiled');

// A machine that never built the forge needs ten minutes for it, so that begins at once. Where it fails, the tests of the forge say why.
const forge = files.some(uses(/support\/gitea\.ts'/)) ? builtGitea().catch(() => undefined) : undefined;
const checked = wanted.length === 0 || wanted.includes('check') ? runChecks() : undefined;
for (const round of roundsOf(files)) await runRound(round);
await checked;
if (isTimed) printTimings();
for (const words of failures) console.log(`\n${words}`);
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

/** Starts what several files share. A single file starts its own. */
async function startWorld(name: string, users: readonly string[]): Promise<ChildProcess | undefined> {
  if (users.length < 2) return undefined;
  const child = fork('test/support/shared-world.ts', [name]);
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    { environment?: object; failure?: string } | number,
  ];
  const { environment, failure = 'it ended' } = typeof message === 'object' ? message : {};
  if (environment === undefined) {
    console.log(`✖ the ${name} that tests share did not start: ${failure}; each file starts its own`);
    counts.failed += 1;
    return undefined;
  }
  Object.assign(process.env, environment);
  return child;
}

async function stopWorld(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** The attacks measure their product, so they have one of two cores to themselves. Then files on the shared product run one after another, beside all others. */
function roundsOf(all: readonly string[]): readonly (readonly Lane[])[] {
  const areAttacks = (file: string): boolean => file.startsWith('test/attacks');
  const ofProduct = uses(WORLDS[0].isUsedIn);
  const isUnit = (file: string): boolean => file.startsWith('test/unit');
  const rest = all.filter((file) => !areAttacks(file) && !isUnit(file));
  const rounds: readonly (readonly Lane[])[] = [
    [
      { name: 'attacks', files: all.filter(areAttacks), run: inProcessesOfTheirOwn(1) },
      { name: 'units', files: all.filter(isUnit), run: runUnits },
    ],
    [
      { name: 'on a product', files: rest.filter(ofProduct), run: runOnProduct },
      { name: 'others', files: rest.filter((file) => !ofProduct(file)), run: inProcessesOfTheirOwn(2) },
    ],
  ];
  return rounds.map((lanes) => lanes.filter((lane) => lane.files.length > 0));
}

/** What the files of a round share lives as long as the round. */
async function runRound(lanes: readonly Lane[]): Promise<void> {
  const all = lanes.flatMap((lane) => lane.files);
  const worlds = await Promise.all(WORLDS.map(async ({ name, isUsedIn }) => await startWorld(name, all.filter(uses(isUsedIn)))));
  await Promise.all(lanes.map(runLane));
  await Promise.all(worlds.map(stopWorld));
}

async function runLane({ name, files: own, run: runAll }: Lane): Promise<void> {
  console.log(`\n${name}: ${own.length} files`);
  await runAll(own);
}

function inProcessesOfTheirOwn(concurrency: number): Lane['run'] {
  return async (own) => {
    const stream = run({ files: [...own], concurrency, timeout: MAX_TEST_MS, ...(isTimed ? timed() : {}) });
    onFailure(stream, (words) => failures.push(words));
    const ended = new Promise<void>((resolve) => {
      stream.on('test:summary', ({ file, counts: summary }) => {
        if (file === undefined) add(countsOf(summary));
      });
      stream.once('end', resolve);
    });
    stream.compose(new spec()).pipe(process.stdout, { end: false });
    await ended;
  };
}

async function runOnProduct(own: readonly string[]): Promise<void> {
  await forge;
  await inProcessesOfTheirOwn(1)(own);
}

async function runUnits(own: readonly string[]): Promise<void> {
  const pure = own.filter((file) => !isTimed && PURE.test(file) && !ROOT_HOOK.test(readFileSync(file, 'utf8')));
  if (pure.length > 0) await inOneProcess(pure);
  const others = own.filter((file) => !pure.includes(file));
  if (others.length > 0) await inProcessesOfTheirOwn(1)(others);
}

/** Loading the same modules anew for every small file takes longer than most of their tests. */
async function inOneProcess(own: readonly string[]): Promise<void> {
  const child = fork('test/support/one-process.ts', [...own], { timeout: MAX_TEST_MS });
  const reports: { readonly counts: Counts; readonly failures: readonly string[] }[] = [];
  child.on('message', (message: (typeof reports)[number]) => reports.push(message));
  await once(child, 'exit');
  add(reports[0]?.counts ?? { passed: 0, failed: 1, skipped: 0 });
  failures.push(...(reports[0]?.failures ?? []));
}

function add(own: Counts): void {
  counts.passed += own.passed;
  counts.failed += own.failed;
  counts.skipped += own.skipped;
}
