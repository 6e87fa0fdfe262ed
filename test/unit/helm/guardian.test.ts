import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';

const HELM_IN_PROCESS = join(import.meta.dirname, '..', '..', 'support', 'helm-in-process.ts');

describe('the guardian of programs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-guardian-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('ends helm when the process that started it is killed', async () => {
    const pidFile = join(folder, 'pid');
    const program = join(folder, 'helm');
    await writeFile(program, `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 300\n`);
    await chmod(program, 0o700);
    const parent = spawn(process.execPath, [HELM_IN_PROCESS, program, join(folder, 'home')], { stdio: 'ignore' });
    const pid = await eventually(async () => Number(await readFile(pidFile, 'utf8')), 'helm runs');
    assert.ok(isAlive(pid));
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
    await eventually(() => Promise.resolve(!isAlive(pid)), 'helm is gone');
  });

  it('leaves a program alone that has ended in time, and minds the others', async () => {
    const script = `
      import { createGuardian } from ${JSON.stringify(join(import.meta.dirname, '..', '..', '..', 'src', 'helm', 'guardian.ts'))};
      const guardian = createGuardian();
      const [first, second] = process.argv.slice(1).map((pid) => guardian.mind(Number(pid)));
      first();
    `;
    const [spared, minded] = [sleeper(), sleeper()];
    const gone = once(minded, 'exit');
    try {
      spawnSync(process.execPath, ['--input-type=module', '-e', script, String(spared.pid), String(minded.pid)], { stdio: 'inherit' });
      await gone;
      assert.equal(minded.signalCode, 'SIGKILL');
      assert.ok(isAlive(spared.pid ?? 0));
    } finally {
      spared.kill('SIGKILL');
      minded.kill('SIGKILL');
    }
  });
});

function sleeper(): ChildProcess {
  return spawn('sleep', ['300'], { stdio: 'ignore' });
}

function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
