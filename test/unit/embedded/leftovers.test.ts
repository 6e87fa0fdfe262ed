import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { endLeftovers, pidFile } from '../../../src/embedded/cluster/leftovers.ts';
import { processStartTime, commandLine } from '../../../src/embedded/cluster/process-table.ts';

let folder: string;
let child: ChildProcess;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-leftovers-')));
  await mkdir(join(folder, 'run'));
});
afterEach(async () => {
  child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

test('a recorded process whose command line names the state folder is ended, however stubborn', async () => {
  await startStubborn(join(folder, 'etcd'));
  const exit = once(child, 'exit');
  assert.deepEqual(await endLeftovers(folder), ['etcd']);
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.deepEqual(await readdir(join(folder, 'run')), []);
});

test('a process of somebody else that got the recorded number lives on', async () => {
  await startStubborn(`${folder}-of-another-clone/etcd`);
  assert.deepEqual(await endLeftovers(folder), []);
  assert.equal(child.exitCode, null);
  assert.equal(child.signalCode, null);
  assert.deepEqual(await readdir(join(folder, 'run')), []);
});

test('a record that is no number ends nothing', async () => {
  await startStubborn(join(folder, 'etcd'));
  await writeFile(pidFile(folder, 'etcd'), '');
  assert.deepEqual(await endLeftovers(folder), []);
});

test('a process that has ended has neither a command line nor a birth mark', async () => {
  await startStubborn(join(folder, 'etcd'));
  const pid = child.pid ?? 0;
  assert.match((await commandLine(pid)) ?? '', /--data-dir=/);
  assert.equal(await processStartTime(pid), await processStartTime(pid));
  assert.notEqual(await processStartTime(pid), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await commandLine(pid), undefined);
  assert.equal(await processStartTime(pid), undefined);
});

/** A process that ignores SIGTERM, recorded as etcd. */
async function startStubborn(dataFolder: string): Promise<void> {
  const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write('up')`;
  child = spawn(process.execPath, ['-e', script, '--', `--data-dir=${dataFolder}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout !== null);
  await once(child.stdout, 'data');
  await writeFile(pidFile(folder, 'etcd'), String(child.pid));
}
