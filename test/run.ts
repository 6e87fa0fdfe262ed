import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { textAt } from '../src/domain/core/read.ts';
import { type Counts, countsOf } from './support/counts.ts';
import { onFailure } from './support/failures.ts';
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
const WORLDS = {
  product: /support\/shared-product\.ts'/,
  cluster: /sharedCluster\(|support\/(app-world|instance-world|operator-test-world|preview-world|source-world)\.ts'/,
};
/** What node tells at the end of a run; here it is told once, of all runs. */
const SUM = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
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
await runAll(files);
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
async function startWorld(name: keyof typeof WORLDS, users: readonly string[]): Promise<ChildProcess | undefined> {
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

/**
 * Three lanes. The attacks measure their product, so they have one of two cores to themselves, and then the files on the shared product run there one after another.
 * Beside them run the units and then all other files; as soon as the attacks are over, in two lanes.
 */
async function runAll(all: readonly string[]): Promise<void> {
  const [ofProduct, ofCluster] = [uses(WORLDS.product), uses(WORLDS.cluster)];
  const areAttacks = (file: string): boolean => file.startsWith('test/attacks');
  const isUnit = (file: string): boolean => file.startsWith('test/unit');
  const rest = all.filter((file) => !areAttacks(file) && !isUnit(file));
  const onProduct = rest.filter(ofProduct);
  const others = rest.filter((file) => !ofProduct(file));
  const cluster = lasting(async () => await startWorld('cluster', rest.filter(ofCluster)));
  const product = lasting(async () => await startWorld('product', onProduct));
  const drainOthers = async (): Promise<void> => {
    for (let file = others.shift(); file !== undefined; file = others.shift()) {
      if (ofCluster(file)) await cluster.start();
      await runFile(file);
    }
  };
  const attacked = inTurn(all.filter(areAttacks));
  const drainProduct = async (): Promise<void> => {
    await attacked;
    if (onProduct.length === 0) return;
    await Promise.all([product.start(), forge]);
    await inTurn(onProduct);
    await product.stop();
  };
  await Promise.all([drainProduct(), runUnits(all.filter(isUnit)).then(drainOthers), attacked.then(drainOthers)]);
  await cluster.stop();
}

/** Something that is started when it is first asked for, and stopped if it was. */
function lasting(start: () => Promise<ChildProcess | undefined>): { start(): Promise<unknown>; stop(): Promise<void> } {
  let started: Promise<ChildProcess | undefined> | undefined;
  return {
    start: async () => await (started ??= start()),
    stop: async () => {
      await stopWorld(await started);
    },
  };
}

async function inTurn(own: readonly string[]): Promise<void> {
  for (const file of own) await runFile(file);
}

/** Runs a file in a process of its own, and prints what it reports when it has ended, as others run beside it. */
async function runFile(file: string): Promise<void> {
  const stream = run({ files: [file], concurrency: 1, timeout: MAX_TEST_MS, ...(isTimed ? timed() : {}) });
  onFailure(stream, (words) => failures.push(words));
  stream.on('test:summary', ({ file: of, counts: summary }) => {
    if (of === undefined) add(countsOf(summary));
  });
  const report = await Readable.from(withoutSums(stream)).pipe(new spec()).toArray();
  process.stdout.write(`${file}\n${report.join('')}`);
}

/** The reporter would tell the sums of each file. */
async function* withoutSums(events: AsyncIterable<{ readonly type: string; readonly data: unknown }>): AsyncGenerator {
  for await (const event of events) {
    const isSum = event.type === 'test:summary' || (event.type === 'test:diagnostic' && SUM.test(textAt(event.data, 'message') ?? ''));
    if (!isSum) yield event;
  }
}

async function runUnits(own: readonly string[]): Promise<void> {
  const pure = own.filter((file) => !isTimed && PURE.test(file) && !ROOT_HOOK.test(readFileSync(file, 'utf8')));
  if (pure.length > 0) await inOneProcess(pure);
  await inTurn(own.filter((file) => !pure.includes(file)));
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
