#!/usr/bin/env node
// `npm test`: what CI runs. Any Node runs this file; the tests themselves run on the Node that the project pins.
// `npm test -- unit http` runs some groups only; `npm test -- test/unit/domain` whatever lies below a path; CONTRIBUTING.md has all options.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const started = Date.now();

step('setup', process.execPath, ['bin/setup.mjs']);
const result = spawnSync('node_modules/.bin/node', ['test/run.ts', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.stderr.write(`npm test took ${Math.round((Date.now() - started) / 1000)} s\n`);
process.exit(result.status ?? 1);

function step(name, program, args) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  process.stderr.write(`npm test: ${name} failed${error === undefined ? '' : `: ${error.message}`}\n0 passed, 1 failed\n`);
  process.exit(1);
}
