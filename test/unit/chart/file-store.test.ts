import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { type FileStore, openFileStore } from '../../../src/chart/cache/file-store.ts';
import { temporaryFolder } from '../../support/charts.ts';

async function storeOf(t: TestContext, quotaBytes: number): Promise<FileStore> {
  return openFileStore(join(await temporaryFolder(t), 'store'), quotaBytes);
}

async function put(store: FileStore, name: string, bytes: number): Promise<void> {
  const path = store.incoming();
  await writeFile(path, Buffer.alloc(bytes));
  await store.keep(path, name);
}

async function names(store: FileStore): Promise<string[]> {
  return (await readdir(store.dir)).sort();
}

test('what was used least lately goes when the quota is exceeded', async (t) => {
  const store = await storeOf(t, 300);
  await put(store, 'a', 100);
  await put(store, 'b', 100);
  await put(store, 'c', 100);
  assert.equal(basename((await store.use('a')) ?? ''), 'a');
  await put(store, 'd', 150);
  assert.deepEqual(await names(store), ['a', 'd']);
  assert.equal(await store.use('b'), undefined);
});

test('what is in use stays, however old it is, until nobody uses it', async (t) => {
  const store = await storeOf(t, 250);
  await put(store, 'a', 100);
  await put(store, 'b', 100);
  await store.holding('a', () =>
    store.holding('a', async () => {
      await put(store, 'c', 100);
      assert.deepEqual(await names(store), ['a', 'c']);
    }),
  );
  await put(store, 'd', 100);
  assert.deepEqual(await names(store), ['c', 'd']);
});

test('a hold ends when the task fails', async (t) => {
  const store = await storeOf(t, 100);
  await put(store, 'a', 100);
  await assert.rejects(
    store.holding('a', () => Promise.reject(new Error('no'))),
    /no/,
  );
  await put(store, 'b', 100);
  assert.deepEqual(await names(store), ['b']);
});

test('a file that is larger than the quota is kept for who brought it', async (t) => {
  const store = await storeOf(t, 100);
  await put(store, 'a', 50);
  await put(store, 'big', 500);
  assert.deepEqual(await names(store), ['big']);
  await put(store, 'b', 50);
  assert.deepEqual(await names(store), ['b']);
});

test('the same file twice counts once', async (t) => {
  const store = await storeOf(t, 250);
  await put(store, 'a', 100);
  await put(store, 'b', 100);
  await put(store, 'a', 100);
  assert.deepEqual(await names(store), ['a', 'b']);
});

test('a restart remembers what was used when, holds a smaller quota, and sweeps what the dead left', async (t) => {
  const dir = join(await temporaryFolder(t), 'store');
  await mkdir(dir);
  const now = Date.now() / 1000;
  const files: readonly (readonly [string, number])[] = [
    ['old', now - 7200],
    ['new', now - 60],
    ['middle', now - 600],
    // No process has this id, which is above the largest there is.
    ['.incoming-99999999-0123abcd-x', now],
    [`.incoming-${process.pid}-0123abcd-x`, now],
    [`.incoming-${process.ppid}-0123abcd-alive`, now],
    [`.incoming-${process.ppid}-0123abcd-stale`, now - 7200],
    ['.incoming-of-an-older-version', now],
  ];
  for (const [name, time] of files) {
    await writeFile(join(dir, name), Buffer.alloc(100));
    await utimes(join(dir, name), time, time);
  }
  const store = await openFileStore(dir, 200);
  assert.deepEqual(await names(store), [`.incoming-${process.ppid}-0123abcd-alive`, 'middle', 'new']);
  await store.use('middle');
  const again = await openFileStore(dir, 100);
  assert.deepEqual(
    (await names(again)).filter((name) => !name.startsWith('.')),
    ['middle'],
  );
});

test('a file of ours that is being made survives a second opening of the store', async (t) => {
  const store = await storeOf(t, 1000);
  const path = store.incoming();
  await writeFile(path, 'half');
  await openFileStore(store.dir, 1000);
  assert.equal(await store.keep(path, 'a'), join(store.dir, 'a'));
});
