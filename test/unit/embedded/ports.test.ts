import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { choosePorts } from '../../../src/embedded/cluster/ports.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-ports-'));
  file = join(folder, 'ports.json');
});
afterEach(() => rm(folder, { recursive: true }));

test('different ports are found and are the same at the next start', async () => {
  const ports = await choosePorts(file, folder);
  assert.equal(new Set(Object.values(ports)).size, 5);
  assert.deepEqual(await choosePorts(file, 'another seed'), ports);
});

test('a port that somebody took in between is left to them, and the others stay', async () => {
  const ports = await choosePorts(file, folder);
  const other = createServer().listen(ports.apiServer, '127.0.0.1');
  await once(other, 'listening');
  try {
    const moved = await choosePorts(file, folder);
    assert.notEqual(moved.apiServer, ports.apiServer);
    assert.deepEqual({ ...moved, apiServer: ports.apiServer }, ports);
    assert.deepEqual(await choosePorts(file, folder), moved);
  } finally {
    other.close();
  }
});

for (const text of ['', '{', '[]', 'null', '{"apiServer":0,"etcd":"x","etcdPeer":70000}']) {
  test(`ports are found when the file that remembers them holds ${JSON.stringify(text)}`, async () => {
    await writeFile(file, text);
    const ports = await choosePorts(file, folder);
    assert.ok(Object.values(ports).every((port: number) => port >= 20_000 && port < 30_000));
  });
}
