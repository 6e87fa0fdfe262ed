#!/usr/bin/env node
// `npm run check`: types, lint with the floors, format. Prints what is wrong and exits with 1.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checkFormat } from './check/format.mjs';
import { withTypesCache } from './check/types-cache.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = 'node_modules/.bin/node';
const checks = {
  types: () => withTypesCache(root, (file) => runProgram('node_modules/.bin/tsc', ['-p', '.', '--incremental', '--tsBuildInfoFile', file])),
  lint: () => runProgram(node, ['node_modules/oxlint/bin/oxlint', '--quiet']),
  format: () => checkFormat(root),
};
const wanted = process.argv.slice(2);
const failed = [];
for (const [name, check] of Object.entries(checks)) {
  if ((wanted.length === 0 || wanted.includes(name)) && !(await check())) failed.push(name);
}
for (const name of failed) process.stderr.write(`check: ${name} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);

function runProgram(program, args) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status === 0;
}
