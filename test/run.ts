import { resolve } from 'node:path';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { packBatches, readRecordedSeconds, recordSeconds } from './runner/batches.ts';
import { batchTask, startBatchesIn } from './runner/batch-task.ts';
import { affectedBy, changedFiles } from './runner/changed-files.ts';
import { checkTasks } from './runner/check-tasks.ts';
import { runInLanes } from './runner/lanes.ts';
import { programTasks } from './runner/program-tasks.ts';
import { createRunResult } from './runner/run-result.ts';
import { shuffled } from './runner/shuffled.ts';
import { findTestFiles, type TestFile } from './runner/test-files.ts';

// `npm test -- [OPTIONS] [GROUP|PATH…]`: see CONTRIBUTING.md.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    lanes: { type: 'string' },
    record: { type: 'boolean', default: false },
    seed: { type: 'string' },
    timings: { type: 'boolean', default: false },
  },
});
const seed = values.seed ?? String(randomInt(1_000_000));
const changed = changedFiles();
const { chosen, leftOut } = chooseFiles();

process.env['CHANDLERY_TEST_SEED'] = seed;
process.env['CHANDLERY_TEST_SET'] = values.all ? 'all' : 'usual';
process.env['CHANDLERY_TEST_CHANGED'] = changed.join('\n');
// Types are stripped once for all files, and code is compiled once.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/chandlery/compiled');

const isWhole = positionals.length === 0 && !values.changed;
const result = createRunResult({ seed, leftOut });
const batches = packBatches(chosen, readRecordedSeconds());
const worlds = startBatchesIn(batches, result);
const tasks = [
  ...(isWhole || positionals.includes('check') ? checkTasks(result) : []),
  ...(values.all ? shuffled(batches, seed) : batches).map((batch) => batchTask(batch, worlds, result)),
  ...(values.all && isWhole ? programTasks(result) : []),
];
await runInLanes(tasks, values.lanes === undefined ? availableParallelism() + 1 : Number(values.lanes));
if (values.record)
  recordSeconds(
    result.seconds(),
    findTestFiles([]).map(({ path }) => path),
  );
result.print(values.timings ? 'all timings' : 'the slowest');
process.exit(result.isGreen() ? 0 : 1);

/** What runs only in `npm run test:all` is left out, unless the words of the command line name nothing else. */
function chooseFiles(): { readonly chosen: readonly TestFile[]; readonly leftOut: readonly TestFile[] } {
  const named = positionals.every((word) => word === 'check') && positionals.length > 0 ? [] : findTestFiles(positionals);
  const paths = values.changed
    ? affectedBy(
        changed,
        named.map(({ path }) => path),
      )
    : undefined;
  const wanted = named.filter(({ path }) => paths === undefined || paths.includes(path));
  const isExtended = (file: TestFile): boolean => file.extended !== undefined;
  if (values.all || wanted.every(isExtended)) return { chosen: wanted, leftOut: [] };
  return { chosen: wanted.filter((file) => !isExtended(file)), leftOut: wanted.filter(isExtended) };
}
