import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { type EarlierResources, openEarlierResources } from '../../../src/store/earlier-resources.ts';
import { createStore } from '../../../src/store/create-store.ts';
import { JsonFile } from '../../../src/store/json-file.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { sampleSeal } from '../../support/sample-seal.ts';
import { describeAccessTokens } from './access-token-contract.ts';
import { aLine, aSession, describeStore, type StoreUnderTest } from './store-contract.ts';

const seal = sampleSeal();

describeStore('a JSON file', openFileStore);
describeAccessTokens('a JSON file', openFileStore);

async function openFileStore(clock: () => number): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-store-'));
  const file = join(folder, 'deep', 'store.json');
  const store = await createStore({ file, seal, clock });
  return {
    store,
    reopen: async () => {
      await store.close();
      return createStore({ file, seal, clock });
    },
    remove: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

const openRequests = async (file: string): Promise<EarlierResources> =>
  await openEarlierResources({ file, name: 'change-requests', tables: ['changeRequests'] });
const openConfigurations = async (file: string): Promise<EarlierResources> =>
  await openEarlierResources({ file, name: 'saved-configurations', tables: ['savedConfigurations', 'savedConfigurationVersions'] });

describe('the file of a store', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-store-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is for its owner only, also when it was not before', async () => {
    const file = join(folder, 'private.json');
    await writeFile(file, '{}', { mode: 0o644 });
    await chmod(file, 0o644);
    const store = await createStore({ file, seal });
    await store.sessions.put('k', aSession({ expiresAt: Date.now() + 1000 }));
    const files = (await readdir(folder)).toSorted();
    assert.deepEqual(files, ['private.json'], 'and no half-written ones');
    for (const name of files) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
  });

  it('has tokens that a copy of it cannot be used with: neither another key nor another session opens them', async () => {
    const file = join(folder, 'sealed.json');
    const store = await createStore({ file, seal });
    for (const key of ['a', 'b']) await store.sessions.put(key, aSession({ refreshToken: `token-${key}`, expiresAt: Date.now() + 60_000 }));
    const text = await readFile(file, 'utf8');
    assert.doesNotMatch(text, /token-a|id-token/);
    const { sessions } = JSON.parse(text) as { sessions: Record<string, { tokens: string }> };
    const moved = { sessions: { a: { ...sessions['a'], tokens: sessions['b']?.tokens }, b: sessions['b'] } };
    await writeFile(file, JSON.stringify(moved));
    const again = await createStore({ file, seal });
    assert.equal(await again.sessions.get('a'), undefined);
    assert.equal((await again.sessions.get('b'))?.refreshToken, 'token-b');
    const stolen = await createStore({ file, seal: sampleSeal(1) });
    assert.equal(await stolen.sessions.get('b'), undefined);
  });

  for (const [what, text] of [
    ['half a file', '{"sessions":{"k":'],
    ['an empty file', ''],
    ['a list', '[]'],
    ['a session table that is none', '{"sessions":5}'],
  ] as const) {
    it(`that holds ${what} stops the start, is named, and is kept`, async () => {
      const file = join(folder, 'broken.json');
      await writeFile(file, text);
      await assert.rejects(createStore({ file, seal }), (error: Error & { code: string }) => {
        assert.equal(error.code, 'ConfigInvalid');
        assert.ok(error.message.includes(`${file} cannot be read`), error.message);
        assert.match(error.message, /repair it, or remove it and start again/);
        return true;
      });
      assert.equal(await readFile(`${file}.broken`, 'utf8'), text);
      assert.equal(await readFile(file, 'utf8'), text);
    });
  }

  it('gives what an older version kept in one file to a file for each table, losing nothing', async () => {
    const file = join(folder, 'older.json');
    const older = {
      sessions: { k: aSession({ expiresAt: Date.now() + 60_000 }) },
      secrets: { login: 'c2VjcmV0' },
      savedConfigurations: { r: { id: 'r' } },
      savedConfigurationVersions: { r: [{ id: 'r', version: 1 }] },
      changeRequests: { a: { id: 'a' }, b: { id: 'b' } },
      auditLog: [{ target: 't' }],
    };
    await writeFile(file, stringifyJson(older));
    for (const time of ['first', 'second']) {
      const requests = await openRequests(file);
      const configurations = await openConfigurations(file);
      assert.deepEqual(requests.entries, [{ id: 'a' }, { id: 'b' }], time);
      const store = await createStore({ file, seal });
      assert.ok(await store.sessions.get('k'), time);
      assert.deepEqual([configurations.entries, configurations.besides('r')], [[{ id: 'r' }], [{ id: 'r', version: 1 }]], time);
      assert.equal((await store.auditLog.search(EVERY_ENTRY))[0]?.target, 't', time);
      await store.sessions.touch('k', 7);
      await store.close();
    }
    const text = await readFile(file, 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(text) as object), ['sessions']);
    assert.doesNotMatch(text, /id-token/, 'tokens are sealed');
    assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('older')).toSorted(), [
      'older.audit-log',
      'older.change-requests.json',
      'older.json',
      'older.saved-configurations.json',
    ]);
    await (await openConfigurations(file)).forget(new Set(['r']));
    await assert.rejects(stat(join(folder, 'older.saved-configurations.json')));
    await (await openRequests(file)).forget(new Set(['a']));
    const left = await openRequests(file);
    assert.deepEqual(left.entries, [{ id: 'b' }]);
    await left.forget(new Set(['b']));
    await assert.rejects(stat(join(folder, 'older.change-requests.json')));
    assert.deepEqual((await openRequests(file)).entries, []);
  });

  it('takes over the audit log of the file before, and lets that go', async () => {
    const file = join(folder, 'before.json');
    const auditLog = Array.from({ length: 2000 }, (_, index) => ({ id: index + 7, user: 'u', target: `old ${index}` }));
    await writeFile(join(folder, 'before.audit-log.json'), JSON.stringify({ auditLog }));
    const store = await createStore({ file, seal });
    await store.auditLog.append({ ...aLine(), target: 'new' });
    const entries = await store.auditLog.search({ ...EVERY_ENTRY, limit: 5000 });
    assert.deepEqual([entries.length, entries[0]?.target, entries[0]?.id, entries.at(-1)?.target], [2001, 'new', 2007, 'old 0']);
    await assert.rejects(stat(join(folder, 'before.audit-log.json')));
  });

  it('fails everybody who waits for a write that fails, and writes again when it can', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const json = new JsonFile(join(blocked, 'x.json'), (data) => ({ a: Number(data['a']) }));
    const writes = await Promise.allSettled([json.write({ a: 1 }), json.write({ a: 2 })]);
    assert.deepEqual(
      writes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await rm(blocked);
    await json.write({ a: 3 });
    assert.deepEqual(await json.read(), { a: 3 });
  });
});
