import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { countsOf } from './counts.ts';
import { onFailure } from './failures.ts';

// Runs the files of its arguments in this one process, and tells its parent the counts and the failures.

const stream = run({ files: process.argv.slice(2), isolation: 'none' });
const failures: string[] = [];
onFailure(stream, (words) => failures.push(words));
stream.on('test:summary', ({ file, counts }) => {
  if (file === undefined) process.send?.({ counts: countsOf(counts), failures }, () => process.disconnect());
});
stream.compose(new spec()).pipe(process.stdout);
