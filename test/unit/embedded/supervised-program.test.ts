import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { SupervisedProgram, type ProgramExit } from '../../../src/embedded/cluster/supervised-program.ts';
import { createLog } from '../../../src/observe/log.ts';
import { eventually } from '../../support/eventually.ts';

let folder: string;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-supervised-'));
  await mkdir(join(folder, 'run'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true }));

test('a program that ends is started again, and the log has its last words', async () => {
  const program = supervise(`console.log('last words'); process.exit(process.uptime() < 100 ? 3 : 0)`);
  program.start();
  await eventually(async () => (await output()).match(/last words/g)?.length === 2, 'the program has printed that');
  await program.stop(1000);
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.deepEqual([line['program'], line['code'], line['tail']], ['demo', 3, 'last words']);
});

test('a program that fails five times in a row is given up', { timeout: 30_000 }, async () => {
  const { promise, resolve } = Promise.withResolvers<ProgramExit>();
  supervise(`console.error('no luck'); process.exit(1)`, resolve).start();
  // The timers of a supervised program keep us alive while it waits to start again; the program itself does not.
  const keepAlive = setInterval(() => undefined, 1000);
  assert.deepEqual({ ...(await promise), tail: '' }, { program: 'demo', code: 1, tail: '' });
  clearInterval(keepAlive);
  assert.equal((await output()).match(/no luck/g)?.length, 5);
});

test('a program that does not exist is given up like one that fails', { timeout: 30_000 }, async () => {
  const { promise, resolve } = Promise.withResolvers<ProgramExit>();
  const spec = { name: 'demo', command: join(folder, 'nothing'), args: [] };
  new SupervisedProgram({ spec, stateFolder: folder, log: log(), onGivenUp: resolve }).start();
  assert.match(String((await promise).code), /ENOENT/);
});

test('a stop is final: an obedient program ends in peace and its record goes', async () => {
  const program = supervise(
    `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); console.log('up'); setInterval(() => {}, 1000)`,
  );
  program.start();
  await eventually(async () => (await output()).includes('up'), 'the program has printed that');
  assert.deepEqual((await readdir(join(folder, 'run'))).sort(), ['demo.log', 'demo.pid']);
  await program.stop(5000);
  assert.equal(await output(), 'up\nbye\n');
  assert.deepEqual(await readdir(join(folder, 'run')), ['demo.log']);
  await program.stop(5000);
  assert.deepEqual(lines, []);
});

test('a program that ignores the request to end is killed', async () => {
  const program = supervise(`process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`);
  program.start();
  await eventually(async () => (await output()).includes('up'), 'the program has printed that');
  await program.stop(100);
  assert.deepEqual(await readdir(join(folder, 'run')), ['demo.log']);
});

test('a program sees nothing of our environment', async () => {
  process.env['HTTPS_PROXY'] = 'http://proxy.example';
  const program = supervise(`console.log(JSON.stringify(Object.keys(process.env))); setInterval(() => {}, 1000)`);
  program.start();
  await eventually(async () => (await output()).includes(']'), 'the program has printed that');
  await program.stop(0);
  delete process.env['HTTPS_PROXY'];
  assert.equal(await output(), '["HOME"]\n');
});

function supervise(script: string, onGivenUp: (exit: ProgramExit) => void = () => assert.fail('given up')): SupervisedProgram {
  const spec = { name: 'demo', command: process.execPath, args: ['-e', script] };
  return new SupervisedProgram({ spec, stateFolder: folder, log: log(), onGivenUp });
}

function log(): ReturnType<typeof createLog> {
  return createLog({ level: 'debug', format: 'json', write: (text) => lines.push(text) });
}

async function output(): Promise<string> {
  return readFile(join(folder, 'run', 'demo.log'), 'utf8');
}
