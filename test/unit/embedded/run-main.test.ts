import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { programOfClone } from '../../../src/cli/command.ts';
import { commandLine } from '../../../src/embedded/cluster/process-table.ts';
import { repoRoot } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';

/** Tells what it was called with, and each signal; SIGTERM ends it with code 7. */
const MAIN = `
const stay = setInterval(() => undefined, 1000);
process.on('SIGTERM', () => { console.log('SIGTERM'); clearInterval(stay); process.exitCode = 7; });
process.on('SIGINT', () => console.log('SIGINT'));
console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(2) }));
`;

interface Launched {
  readonly pid: number;
  readonly args: unknown;
}

let clone: string;
let launcher: ChildProcess;
let lines: Interface;

beforeEach(async () => {
  clone = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-run-main-')));
  await cp(join(repoRoot, 'bin'), join(clone, 'bin'), { recursive: true });
  await mkdir(join(clone, 'src'));
  await writeFile(join(clone, 'src', 'main.ts'), MAIN);
});
afterEach(async () => {
  launcher.kill('SIGKILL');
  await rm(clone, { recursive: true });
});

test('the command passes its arguments on, and ends as the program ends', async () => {
  const { args } = await launch('token', '--as', 'dev-a');
  assert.deepEqual(args, ['token', '--as', 'dev-a']);
  launcher.kill('SIGTERM');
  assert.deepEqual(await once(lines, 'line'), ['SIGTERM']);
  assert.deepEqual(await once(launcher, 'exit'), [7, null]);
});

for (const [where, folderOf] of [
  ['the clone', () => clone],
  ['another folder', tmpdir],
] as const)
  test(`the command that npm start prints runs in ${where}`, async () => {
    const cwd = folderOf();
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    const command = `exec ${programOfClone(clone, cwd)} token --as dev-a`;
    const { args } = await follow(spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] }));
    assert.deepEqual(args, ['token', '--as', 'dev-a']);
  });

test('a signal that comes twice at once, from the terminal and from npm, arrives once', async () => {
  await launch('serve');
  const heard: string[] = [];
  lines.on('line', (line) => heard.push(line));
  launcher.kill('SIGINT');
  await eventually(() => Promise.resolve(heard.length > 0), 'the first signal');
  launcher.kill('SIGINT');
  launcher.kill('SIGTERM');
  await once(launcher, 'exit');
  assert.deepEqual(heard, ['SIGINT', 'SIGTERM']);
});

test('a command that is killed takes the program with it', async () => {
  const { pid } = await launch('serve');
  launcher.kill('SIGKILL');
  assert.deepEqual(await once(lines, 'line'), ['SIGTERM']);
  await eventually(async () => (await commandLine(pid)) === undefined, 'the program is gone');
});

async function launch(...args: string[]): Promise<Launched> {
  return await follow(
    spawn(process.execPath, [join(clone, 'bin', 'chandlery.mjs'), ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: {} }),
  );
}

/** @returns what the program says when it starts */
async function follow(started: ChildProcess): Promise<Launched> {
  launcher = started;
  assert.ok(launcher.stdout !== null);
  lines = createInterface({ input: launcher.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as Launched;
}
