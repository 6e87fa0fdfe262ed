import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { countsOf } from './counts.ts';

// Runs the files of its arguments in this one process, and tells its parent the counts.

const stream = run({ files: process.argv.slice(2), isolation: 'none' });
stream.on('test:summary', ({ file, counts }) => {
  if (file === undefined) process.send?.(countsOf(counts), () => process.disconnect());
});
stream.compose(new spec()).pipe(process.stdout);
