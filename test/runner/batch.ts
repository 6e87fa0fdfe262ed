import { join } from 'node:path';
import { run } from 'node:test';
import type { Counts } from '../support/counts.ts';
import { failureText } from './failure-text.ts';
import { measured } from './measured.ts';
import type { FileReport } from './report.ts';

// Runs the files of CHANDLERY_TEST_FILES one after another in this process, and tells its parent what came of each as it ends.

// Whoever ends the run ends what it has started.
process.once('disconnect', () => process.exit(1));

let left = (process.env['CHANDLERY_TEST_FILES'] ?? '').split(' ').length;
let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
let failures: string[] = [];
let skipped: FileReport['skipped'][number][] = [];
let tests: FileReport['tests'][number][] = [];

const stream = run({ files: [join(import.meta.dirname, 'batch-files.ts')], isolation: 'none' });
for await (const { type, data } of stream) {
  if (type === 'test:stdout' || type === 'test:stderr') process.stdout.write(data.message);
  if (type !== 'test:pass' && type !== 'test:fail') continue;
  const text = type === 'test:fail' ? failureText(data) : undefined;
  const isSuite = data.details.type === 'suite';
  if (text !== undefined) {
    failures.push(text);
    counts.failed += 1;
  } else if (!isSuite && (data.skip !== undefined || data.todo !== undefined)) {
    counts.skipped += 1;
    skipped.push({ name: data.name, reason: String(data.skip ?? data.todo) });
  } else if (!isSuite && type === 'test:pass') counts.passed += 1;
  if (!isSuite && data.skip === undefined) tests.push({ name: data.name, ms: data.details.duration_ms });
  if (data.nesting > 0) continue;
  const { wall, cpu, waits } = measured.get(data.name) ?? { wall: 0, cpu: 0, waits: [] };
  const report: FileReport = { path: data.name, counts, failures, skipped, wall, cpu, waits, tests };
  process.send?.(report);
  counts = { passed: 0, failed: 0, skipped: 0 };
  [failures, skipped, tests] = [[], [], []];
  left -= 1;
  // The end of the stream never comes while a browser runs, which the files share until here.
  if (left === 0) process.send?.('ended', () => process.exit(0));
}
