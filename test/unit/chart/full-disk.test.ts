import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/charts.ts';

// Runs in test:all: it fills a disk.

const PROGRAM = join(import.meta.dirname, 'full-disk-program.ts');
/** A file system of 2 MiB of our own, in namespaces that need no root; where the system allows none, files of at most 950 KiB. */
const SMALL_DISK = 'unshare -rm sh -c \'mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" "$3" "$1/cache"\' - "$1" "$2" "$3"';
const SMALL_FILES = 'ulimit -f 1900 && exec "$2" "$3" "$1/cache"';

test('a full disk is reported with its folder and what to do, loses nothing, and is no hindrance to what fits', async (t) => {
  const folder = join(await temporaryFolder(t), 'disk');
  await mkdir(folder);
  const mayMount = await run('unshare -rm sh -c \'mount -t tmpfs -o size=2m tmpfs "$1"\' - "$1"', folder);
  const { status, output } = await run(mayMount.status === 0 ? SMALL_DISK : SMALL_FILES, folder);
  assert.equal(status, 0, output);
  const { rejections, kept, files, again, inTurn } = JSON.parse(output) as {
    rejections: readonly { code: string; message: string }[];
    kept: string;
    files: readonly string[];
    again: string;
    inTurn: readonly string[];
  };
  for (const { code, message } of rejections) {
    assert.equal(code, 'ChartCacheFull', message);
    assert.match(message, /^chart: the cache in \S+\/disk\/cache is full \(E\w+\); free space there, .*--chart-cache-size, .*--state$/);
  }
  assert.deepEqual([rejections.length, kept, files, again], [2, 'small', ['.tgz'], 'none']);
  if (mayMount.status === 0) assert.deepEqual(inTurn, ['none', 'none', 'none'], 'a chart that was not used lately makes room');
});

async function run(script: string, folder: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn('sh', ['-c', script, 'sh', folder, process.execPath, PROGRAM], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  const [output, complaints, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, output: output === '' ? complaints : output };
}
