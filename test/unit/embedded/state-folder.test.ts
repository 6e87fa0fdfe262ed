import assert from 'node:assert/strict';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isAppError } from '../../../src/domain/core/errors.ts';
import { claimStateFolder, defaultStateDir } from '../../../src/embedded/cluster/state-folder.ts';

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-state-')));
  folder = join(parent, 'a', 'state');
});
afterEach(() => rm(parent, { recursive: true }));

test('a state folder is made where there is none, for its owner alone', async () => {
  const state = await claimStateFolder(folder);
  assert.equal(state.path, folder);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test('a second start on a state folder is rejected with the process that uses it, until that lets go', async () => {
  const state = await claimStateFolder(folder);
  await assert.rejects(
    claimStateFolder(folder, { patienceMs: 0 }),
    (error) => isAppError(error, 'ConfigInvalid') && error.message.includes(`process ${process.pid}`),
  );
  await state.release();
  await (await claimStateFolder(folder)).release();
});

test('a start right after a stop waits until the other has let go', async () => {
  const state = await claimStateFolder(folder);
  // The first thing that a start writes is a claim, also when it finds that it has to wait.
  const claims = watch(join(folder, 'lock'));
  const claimed = once(claims, 'change');
  const next = claimStateFolder(folder);
  await claimed;
  claims.close();
  await state.release();
  await (await next).release();
});

for (const [whose, claim] of [
  ['a process that is gone', `${2 ** 22 + 1}_1_x`],
  ['a process whose number another one has now', `${process.pid}_1_x`],
  ['nobody', 'lost+found'],
] as const) {
  test(`a claim of ${whose} does not keep anybody out, and is cleaned away`, async () => {
    await (await claimStateFolder(folder)).release();
    await writeFile(join(folder, 'lock', claim), '');
    await (await claimStateFolder(folder)).release();
    assert.deepEqual(await readdir(join(folder, 'lock')), []);
  });
}

test('of many starts at once never two win, and the folder is free when the winner has let go', async () => {
  await (await claimStateFolder(folder)).release();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => claimStateFolder(folder, { patienceMs: 1000 })));
  const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.ok(winners.length <= 1, `${winners.length} winners`);
  await Promise.all(winners.map(({ value }) => value.release()));
  await (await claimStateFolder(folder)).release();
});

test('a reset discards everything in a folder of ours', async () => {
  await (await claimStateFolder(folder)).release();
  await mkdir(join(folder, 'etcd', 'member'), { recursive: true });
  await writeFile(join(folder, 'store.json'), '{}');
  await (await claimStateFolder(folder, { reset: true })).release();
  assert.deepEqual((await readdir(folder)).sort(), ['.chandlery-state', 'lock']);
});

test('a folder has an id of its own, which a reset keeps and a marker of an earlier version gets', async () => {
  const claim = async (path: string, reset = false): Promise<string> => {
    const { id, release } = await claimStateFolder(path, { reset });
    await release();
    return id;
  };
  const id = await claim(folder);
  assert.equal(await claim(folder), id);
  assert.equal(await claim(folder, true), id);
  const earlier = join(parent, 'earlier');
  await mkdir(earlier);
  await writeFile(join(earlier, '.chandlery-state'), 'The state of a Chandlery.\n');
  const given = await claim(earlier);
  assert.notEqual(given, id);
  assert.equal(await claim(earlier), given);
});

test('a folder with files of somebody else is rejected, and a reset does not touch them', async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'thesis.txt'), 'years of work');
  await assert.rejects(claimStateFolder(folder, { reset: true }), /did not make.*--state/);
  assert.deepEqual(await readdir(folder), ['thesis.txt']);
});

test('two clones have different default folders below the XDG state folder', async () => {
  const [one, two] = [join(parent, 'one'), join(parent, 'two')];
  await Promise.all([mkdir(one), mkdir(two)]);
  const env = { XDG_STATE_HOME: '/xdg', HOME: '/home/ann' };
  assert.match(defaultStateDir(one, env), /^\/xdg\/chandlery\/[0-9a-f]{12}$/);
  assert.notEqual(defaultStateDir(one, env), defaultStateDir(two, env));
  assert.equal(defaultStateDir(one, env), defaultStateDir(one, env));
});

test('without an XDG state folder, or with a relative one, the home folder is used', async () => {
  assert.match(defaultStateDir(parent, { HOME: '/home/ann' }), /^\/home\/ann\/\.local\/state\/chandlery\//);
  assert.match(defaultStateDir(parent, { HOME: '/home/ann', XDG_STATE_HOME: 'relative' }), /^\/home\/ann\/\.local\/state\/chandlery\//);
});
