import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createStore } from '../../../src/store/create-store.ts';
import { JsonFile } from '../../../src/store/json-file.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { aLine, aSavedConfiguration, aSession, describeStore } from './store-contract.ts';

describeStore('a JSON file', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-store-'));
  const file = join(folder, 'deep', 'store.json');
  const store = await createStore({ file, clock });
  return {
    store,
    reopen: async () => {
      await store.close();
      return createStore({ file, clock });
    },
    remove: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

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
    const store = await createStore({ file });
    await store.sessions.put('k', aSession({ expiresAt: Date.now() + 1000 }));
    const files = (await readdir(folder)).toSorted();
    assert.deepEqual(
      files,
      ['private.change-requests.json', 'private.json', 'private.saved-configurations.json'],
      'and no half-written ones',
    );
    for (const name of files) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
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
      await assert.rejects(createStore({ file }), (error: Error & { code: string }) => {
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
    const secrets = { login: 'c2VjcmV0' };
    const older = {
      sessions: { k: aSession({ expiresAt: Date.now() + 60_000 }) },
      secrets,
      savedConfigurations: { r: aSavedConfiguration() },
      changeRequests: {},
      auditLog: [{ target: 't' }],
    };
    await writeFile(file, JSON.stringify(older));
    for (const time of ['first', 'second']) {
      const store = await createStore({ file });
      assert.ok(await store.sessions.get('k'), time);
      assert.deepEqual(await store.savedConfigurations.get('r'), aSavedConfiguration(), time);
      assert.equal((await store.auditLog.search(EVERY_ENTRY))[0]?.target, 't', time);
      assert.deepEqual(Buffer.from(await store.secret('login')).toString(), 'secret', time);
      await store.sessions.touch('k', 7);
      await store.close();
    }
    assert.deepEqual(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object), ['sessions', 'secrets']);
    assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('older')).toSorted(), [
      'older.audit-log',
      'older.change-requests.json',
      'older.json',
      'older.saved-configurations.json',
    ]);
  });

  it('takes over the audit log of the file before, and lets that go', async () => {
    const file = join(folder, 'before.json');
    const auditLog = Array.from({ length: 2000 }, (_, index) => ({ id: index + 7, user: 'u', target: `old ${index}` }));
    await writeFile(join(folder, 'before.audit-log.json'), JSON.stringify({ auditLog }));
    const store = await createStore({ file });
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
