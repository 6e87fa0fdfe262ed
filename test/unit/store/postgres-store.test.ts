import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { createSeal } from '../../../src/domain/core/seal.ts';
import { createPostgresStore } from '../../../src/store/postgres/create-postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { eventually } from '../../support/eventually.ts';
import { type Postgres, query, startPostgres } from '../../support/postgres.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { sampleKey, sampleSeal } from '../../support/sample-seal.ts';
import { describeAccessTokens } from './access-token-contract.ts';
import { aLine, aSession, describeStore, type Open } from './store-contract.ts';

// Runs in test:all: it runs PostgreSQL.

const DAY = 86_400_000;
let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(async () => await postgres.stop());

interface Opening {
  readonly clock?: () => number;
  readonly cluster?: string;
  readonly seal?: ReturnType<typeof sampleSeal>;
}

async function open(url: URL, { clock, cluster = 'c1', seal = sampleSeal() }: Opening = {}): Promise<Store> {
  return await createPostgresStore({
    settings: { readUrl: () => Promise.resolve(url), connections: 4 },
    clusterUid: () => Promise.resolve(cluster),
    seal,
    auditRetention: 400 * DAY,
    ...(clock === undefined ? {} : { clock }),
  });
}

const openStore: Open<Store> = async (clock) => {
  const url = await postgres.createDatabase();
  const opened = [await open(url, { clock })];
  return {
    store: opened[0] as Store,
    reopen: async () => {
      const again = await open(url, { clock });
      opened.push(again);
      return again;
    },
    remove: async () => void (await Promise.all(opened.map(async (store) => await store.close()))),
  };
};
describeStore('PostgreSQL', openStore);
describeAccessTokens('PostgreSQL', openStore);

describe('a database of several replicas and clusters', () => {
  const later = { expiresAt: Date.now() + DAY };

  it('gets its tables once, although all replicas start at the same time on an empty database', async () => {
    const url = await postgres.createDatabase();
    const replicas = await Promise.all(Array.from({ length: 5 }, async () => await open(url)));
    assert.deepEqual([...new Set(await Promise.all(replicas.map((one) => one.unavailableReason())))], [undefined]);
    const versions = await query(url, 'SELECT version FROM chandlery_migrations ORDER BY version');
    assert.deepEqual(versions, [{ version: 1 }, { version: 2 }, { version: 3 }, { version: 4 }]);
    await replicas[0]?.sessions.put('k', aSession(later));
    assert.ok(await replicas[4]?.sessions.get('k'), 'what one replica writes, the others read');
    await Promise.all(replicas.map((one) => one.close()));
  });

  it('works for a user who may not create tables, once they are there', async () => {
    const url = await postgres.createDatabase();
    const owner = await open(url);
    await owner.sessions.put('k', aSession(later));
    await owner.close();
    await query(
      url,
      `CREATE ROLE clerk LOGIN PASSWORD 'x'; REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO clerk`,
    );
    await query(url, 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk');
    const as = new URL(url);
    [as.username, as.password] = ['clerk', 'x'];
    const clerk = await open(as);
    assert.ok(await clerk.sessions.get('k'));
    await clerk.auditLog.append(aLine());
    await clerk.close();
  });

  it('keeps the sessions and the audit log of each cluster apart', async () => {
    const url = await postgres.createDatabase();
    const [one, other] = [await open(url), await open(url, { cluster: 'c2' })];
    await one.sessions.put('k', aSession(later));
    await one.auditLog.append(aLine({ target: 'one' }));
    assert.equal(await one.usedIds.use('id', Date.now() + DAY), true);
    assert.equal(await other.sessions.get('k'), undefined);
    assert.equal(await other.sessions.deleteOf({ subject: 'u1' }), 0);
    assert.deepEqual(await other.auditLog.search(EVERY_ENTRY), []);
    assert.equal(await other.usedIds.use('id', Date.now() + DAY), true);
    assert.ok(await one.sessions.get('k'));
    await Promise.all([one.close(), other.close()]);
  });

  it('has tokens that a copy of it cannot be used with, and that open by an earlier key after a rotation', async () => {
    const url = await postgres.createDatabase();
    const [old, young] = [
      { ...sampleKey(1), id: 'old' },
      { ...sampleKey(2, 5), id: 'young' },
    ];
    const before = await open(url, { seal: createSeal({ keys: () => [old], purpose: 'sessions' }) });
    await before.sessions.put('k', aSession({ ...later, refreshToken: 'top-secret' }));
    const rotated = await open(url, { seal: createSeal({ keys: () => [young, old], purpose: 'sessions' }) });
    assert.equal((await rotated.sessions.get('k'))?.refreshToken, 'top-secret');
    await rotated.sessions.put('new', aSession({ ...later, refreshToken: 'top-secret' }));
    const rows = stringifyJson(await query(url, 'SELECT * FROM chandlery_sessions'));
    assert.doesNotMatch(rows, /top-secret|id-token/);
    assert.match(rows, /"tokens":"old\..*"tokens":"young\./);
    const thief = await open(url, { seal: createSeal({ keys: () => [sampleKey(3)], purpose: 'sessions' }) });
    assert.equal(await thief.sessions.get('k'), undefined);
    await Promise.all([before.close(), rotated.close(), thief.close()]);
  });

  it('may be away: whoever asks gets an error, nothing is lost, and it goes on as soon as it is back', async () => {
    const url = await postgres.createDatabase();
    const store = await open(url);
    await store.sessions.put('k', aSession(later));
    await store.auditLog.append(aLine({ target: 'before' }));
    await postgres.kill();
    await assert.rejects(store.sessions.get('k'), { code: 'DatabaseUnavailable', message: /^database: 127\.0\.0\.1:\d+: / });
    assert.match((await store.unavailableReason()) ?? '', /^database: 127/);
    await assert.rejects(store.auditLog.append(aLine({ target: 'meanwhile' })), { code: 'DatabaseUnavailable' });
    const late = await open(url);
    assert.match((await late.unavailableReason()) ?? '', /^database: 127/, 'also for a replica that starts meanwhile');
    await postgres.start();
    assert.ok(await eventually(async () => await store.sessions.get('k'), 'the session is found again'));
    assert.ok(await late.sessions.get('k'));
    await store.auditLog.append(aLine({ target: 'after' }));
    const targets = (await late.auditLog.search(EVERY_ENTRY)).map(({ target }) => target);
    assert.deepEqual(targets, ['after', 'meanwhile', 'before']);
    await Promise.all([store.close(), late.close()]);
  });

  it('that rejects the password is reported without it', async () => {
    const url = new URL(await postgres.createDatabase());
    url.password = 'wrong-one';
    const store = await open(url);
    const reason = (await store.unavailableReason()) ?? '';
    assert.match(reason, /password authentication failed/);
    assert.doesNotMatch(reason, /wrong-one/);
    await store.close();
  });
});
