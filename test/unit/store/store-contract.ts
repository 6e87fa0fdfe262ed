import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionRecord } from '../../../src/domain/session.ts';
import { describePlans } from './plan-contract.ts';
import type { Store } from '../../../src/store/store.ts';

/** A store under test, empty at first; `reopen` closes it and opens it again. */
export interface StoreUnderTest {
  readonly store: Store;
  reopen(): Promise<Store>;
  remove(): Promise<void>;
}

export function aSession(change: Partial<SessionRecord> = {}): SessionRecord {
  const now = 1_000_000;
  return {
    actor: { user: 'oidc:u1', groups: ['oidc:a'] },
    person: { name: 'U One' },
    subject: 'u1',
    idToken: 'id-token',
    createdAt: now,
    seenAt: now,
    expiresAt: now + 1000,
    ...change,
  };
}

/** What every store must do, whatever it is made of. @param open opens an empty store with a clock. */
export function describeStore(name: string, open: (clock: () => number) => Promise<StoreUnderTest>): void {
  describe(`a store: ${name}`, () => {
    const withStore = async (act: (under: StoreUnderTest, world: { now: number }) => Promise<void>): Promise<void> => {
      const world = { now: 1_000_000 };
      const under = await open(() => world.now);
      try {
        await act(under, world);
      } finally {
        await under.remove();
      }
    };

    describePlans(name, withStore);

    it('keeps a session over a restart', () =>
      withStore(async ({ store, reopen }) => {
        await store.sessions.put('k', aSession({ refreshToken: 'r', refreshAt: 5 }));
        assert.deepEqual(await (await reopen()).sessions.get('k'), aSession({ refreshToken: 'r', refreshAt: 5 }));
      }));

    it('finds nothing for a key that nobody put', () =>
      withStore(async ({ store }) => {
        for (const key of ['k', '__proto__', 'constructor', '']) assert.equal(await store.sessions.get(key), undefined, key);
      }));

    it('finds no session after its end, and forgets it', () =>
      withStore(async ({ store, reopen }, world) => {
        await store.sessions.put('k', aSession());
        world.now += 1000;
        assert.equal(await store.sessions.get('k'), undefined);
        const again = await reopen();
        assert.equal(await again.sessions.deleteOf({ subject: 'u1' }), 0);
      }));

    it('replaces and touches only sessions that are there', () =>
      withStore(async ({ store }) => {
        assert.equal(await store.sessions.replace('k', aSession()), false);
        await store.sessions.touch('k', 7);
        assert.equal(await store.sessions.get('k'), undefined);
        await store.sessions.put('k', aSession());
        assert.equal(await store.sessions.replace('k', aSession({ idToken: 'new' })), true);
        await store.sessions.touch('k', 7);
        assert.deepEqual(await store.sessions.get('k'), aSession({ idToken: 'new', seenAt: 7 }));
        await store.sessions.delete('k');
        await store.sessions.delete('k');
        assert.equal(await store.sessions.get('k'), undefined);
      }));

    it('gives copies, so that nobody changes what is kept', () =>
      withStore(async ({ store }) => {
        const record = aSession();
        await store.sessions.put('k', record);
        (record.person as { name: string }).name = 'changed';
        assert.equal((await store.sessions.get('k'))?.person.name, 'U One');
      }));

    it('ends the sessions that an issuer names, and no others', () =>
      withStore(async ({ store }) => {
        await store.sessions.put('a1', aSession({ subject: 'a', issuerSession: 's1' }));
        await store.sessions.put('a2', aSession({ subject: 'a', issuerSession: 's2' }));
        await store.sessions.put('b1', aSession({ subject: 'b', issuerSession: 's1' }));
        await store.sessions.put('c', aSession({ subject: 'c' }));
        assert.equal(await store.sessions.deleteOf({}), 0);
        assert.equal(await store.sessions.deleteOf({ subject: 'a', issuerSession: 's1' }), 1);
        assert.equal(await store.sessions.deleteOf({ subject: 'a' }), 1);
        assert.equal(await store.sessions.deleteOf({ issuerSession: 's1' }), 1);
        assert.ok(await store.sessions.get('c'));
      }));

    it('tells the newest entries of the journal first, over a restart', () =>
      withStore(async ({ store, reopen }) => {
        for (const target of ['one', 'two', 'three']) {
          await store.journal.append({ time: 't', user: 'u', action: 'create instance', target, outcome: 'done', requestId: 'r' });
        }
        const entries = await (await reopen()).journal.newest(2);
        assert.deepEqual(
          entries.map(({ target }) => target),
          ['three', 'two'],
        );
      }));

    it('gives the same secret for the same name, over a restart', () =>
      withStore(async ({ store, reopen }) => {
        const [first, second] = await Promise.all([store.secret('login'), store.secret('login')]);
        assert.equal(first.length, 32);
        assert.deepEqual(second, first);
        assert.notDeepEqual(await store.secret('other'), first);
        assert.deepEqual(await (await reopen()).secret('login'), first);
      }));

    it('takes many writes at once and loses none', () =>
      withStore(async ({ store, reopen }) => {
        const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
        await Promise.all(keys.map((key) => store.sessions.put(key, aSession({ idToken: key }))));
        const again = await reopen();
        for (const key of keys) assert.equal((await again.sessions.get(key))?.idToken, key);
      }));
  });
}
