#!/usr/bin/env node
// `npm run check`: types, lint with the floors, format. Prints what is wrong and exits with 1.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = 'node_modules/.bin/node';
/** What an earlier run found right is not looked at again until it changes. */
const known = 'node_modules/.cache/chandlery';
const cached = ['--cache', '--cache-location', `${known}/prettier`];
const checks = [
  ['types', 'node_modules/.bin/tsc', ['-p', '.', '--incremental', '--tsBuildInfoFile', `${known}/types.tsbuildinfo`]],
  ['lint', node, ['node_modules/oxlint/bin/oxlint', '--quiet']],
  ['format', node, ['node_modules/prettier/bin/prettier.cjs', '--check', ...cached, '--log-level', 'warn', '.']],
];
const wanted = process.argv.slice(2);
const failed = checks
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .filter(([, program, args]) => spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status !== 0);
for (const [name] of failed) process.stderr.write(`check: ${String(name)} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);
