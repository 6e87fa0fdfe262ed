import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** A group of tests: the files, and how many of them at once on the two cores that a small machine has. */
interface Group {
  readonly name: string;
  readonly files: string;
  readonly concurrency: number;
}

const GROUPS: readonly Group[] = [
  { name: 'unit', files: 'test/{architecture.test.ts,unit/**/*.test.ts}', concurrency: 2 },
  { name: 'http', files: 'test/http/**/*.test.ts', concurrency: 2 },
  { name: 'cluster', files: 'test/cluster/**/*.test.ts', concurrency: 2 },
  { name: 'attacks', files: 'test/attacks/**/*.test.ts', concurrency: 1 },
  { name: 'web', files: 'test/web/**/*.test.ts', concurrency: 1 },
];
const CHECKS = ['types', 'lint', 'format'];
/** One of them runs every quick attack on the product. */
const LONGEST_TEST_MS = 20 * 60_000;

const counts = { passed: 0, failed: 0, skipped: 0 };
const wanted = process.argv.slice(2);

if (wanted.length === 0 || wanted.includes('check')) CHECKS.forEach(check);
for (const group of GROUPS) await runGroup(group);
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);

function check(name: string): void {
  const { status } = spawnSync(process.execPath, ['bin/check.mjs', name], { stdio: 'inherit' });
  console.log(`${status === 0 ? '✔' : '✖'} check ${name}`);
  counts[status === 0 ? 'passed' : 'failed'] += 1;
}

async function runGroup({ name, files, concurrency }: Group): Promise<void> {
  const below = wanted.filter((word) => word.startsWith('test/'));
  const all = globSync(files).sort();
  const chosen = wanted.length === 0 || wanted.includes(name) ? all : all.filter((file) => below.some((path) => file.startsWith(path)));
  if (chosen.length === 0) return;
  console.log(`\n${name}: ${chosen.length} files`);
  const stream = run({ files: chosen, concurrency, timeout: LONGEST_TEST_MS });
  const ended = new Promise<void>((resolve) => {
    stream.on('test:summary', ({ file, counts: summary }) => {
      if (file !== undefined) return;
      counts.passed += summary.passed;
      counts.failed += summary.tests - summary.passed - summary.skipped - summary.todo;
      counts.skipped += summary.skipped + summary.todo;
    });
    stream.once('end', resolve);
  });
  stream.compose(new spec()).pipe(process.stdout, { end: false });
  await ended;
}
