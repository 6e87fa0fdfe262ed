import { parseArgs } from 'node:util';
import { runAttacks } from './run-attacks.ts';
import { SUBJECTS } from './subjects.ts';
import { startTarget } from './target.ts';

// `npm run test:attacks [-- --only forms,http] [--pace quick]`: every attack on the running product, and a table of how it held.

const { values } = parseArgs({ options: { only: { type: 'string' }, pace: { type: 'string', default: 'slow' } } });
const names = values.only?.split(',') ?? SUBJECTS.map(({ name }) => name);
const subjects = SUBJECTS.filter(({ name }) => names.includes(name));
if (subjects.length !== names.length || !['quick', 'slow'].includes(values.pace)) {
  console.error(`usage: npm run test:attacks -- [--only ${SUBJECTS.map(({ name }) => name).join(',')}] [--pace quick|slow]`);
  process.exit(2);
}
const began = performance.now();
const target = await startTarget();
try {
  const rows = await runAttacks(subjects, { target, pace: values.pace === 'quick' ? 'quick' : 'slow', write: console.log });
  const failed = rows.filter(({ failure }) => failure !== undefined).length;
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  const longest = Math.max(...rows.map(({ workMs }) => workMs));
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${rows.length} attacks, ${attempts} attempts, longest turn ${longest.toFixed(0)} ms, ${seconds} s`);
  console.log(`${rows.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await target.stop();
}
