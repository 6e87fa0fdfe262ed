import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditQuery, AuditRecord } from '../../../src/domain/audit/audit-log.ts';
import { type JobDeployment, MAX_DEPLOYMENT_TARGETS } from '../../../src/domain/environment/job-deployment.ts';
import type { SessionRecord } from '../../../src/domain/core/session.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { sampleDeployment } from '../../support/sample-deployments.ts';
import type { Store } from '../../../src/store/store.ts';

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

export function aLine(change: Partial<AuditRecord> = {}): AuditRecord {
  const asked = { via: 'page', requestId: 'r' } as const;
  return {
    time: 't',
    user: 'u',
    groups: [],
    action: 'create instance',
    environment: '',
    target: '',
    outcome: 'succeeded',
    code: '',
    ...asked,
    ...change,
  };
}

/** A store under test, empty at first; `reopen` closes it and opens it again. */
export interface StoreUnderTest<S extends Store = Store> {
  readonly store: S;
  reopen(): Promise<S>;
  remove(): Promise<void>;
}

type WithStore<S extends Store> = (act: (under: StoreUnderTest<S>, world: { now: number }) => Promise<void>) => Promise<void>;

/** What every store must do, whatever it is made of. @param open opens an empty store with a clock. */
export function describeStore(name: string, open: Open<Store>): void {
  describe(`a store: ${name}`, () => {
    const withStore = stores(open);

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

    it('keeps the last deployment of each target and outcome, over a restart; one that ends no longer runs', () =>
      withStore(async ({ store, reopen }) => {
        const at = (second: number, change: Partial<JobDeployment>): JobDeployment =>
          sampleDeployment({ time: `2026-01-01T00:00:0${second}.000Z`, ...change });
        const other = { pipelineURL: 'https://ci.example.com/2' };
        const put = async (deployment: JobDeployment, environment = 'e1') => await store.deployments.put(environment, deployment);
        await put(at(1, { outcome: 'Running' }));
        await put(at(2, { outcome: 'Failed' }));
        await put(at(3, { outcome: 'Running', ...other }));
        await put(at(4, { outcome: 'Succeeded' }));
        await put(at(5, { outcome: 'Failed', message: 'again' }));
        await put(at(6, { target: '__proto__' }), 'e3');
        const { deployments } = await reopen();
        const kept = (await deployments.list('e1')).map(({ outcome, time }) => `${outcome} ${time.slice(18, 19)}`);
        assert.deepEqual(kept.toSorted(), ['Failed 5', 'Running 3', 'Succeeded 4']);
        assert.deepEqual(await deployments.list('e2'), []);
        assert.equal((await deployments.list('e3'))[0]?.target, '__proto__');
      }));

    it('forgets the targets that were deployed longest ago', () =>
      withStore(async ({ store: { deployments } }) => {
        for (let n = 0; n < MAX_DEPLOYMENT_TARGETS + 2; n += 1) {
          await deployments.put('e1', sampleDeployment({ target: `t${n}`, time: new Date(n * 1000).toISOString() }));
        }
        const targets = (await deployments.list('e1')).map(({ target }) => target);
        assert.equal(targets.length, MAX_DEPLOYMENT_TARGETS);
        assert.deepEqual([targets.includes('t1'), targets.includes('t2')], [false, true]);
      }));

    it('lists the newest entries of the audit log first, over a restart', () =>
      withStore(async ({ store, reopen }) => {
        for (const target of ['one', 'two', 'three']) {
          await store.auditLog.append(aLine({ target }));
        }
        const entries = await (await reopen()).auditLog.search({ ...EVERY_ENTRY, limit: 2 });
        assert.deepEqual(
          entries.map(({ target }) => target),
          ['three', 'two'],
        );
      }));

    it('finds entries of the audit log by person, environment and words, a page at a time', () =>
      withStore(async ({ store: { auditLog } }) => {
        await auditLog.append(aLine({ target: 'a', user: 'oidc:Anna', environment: 'shop' }));
        await auditLog.append(aLine({ target: 'b', user: 'oidc:ben', environment: 'shop', groups: ['oidc:team-b'] }));
        await auditLog.append(aLine({ target: 'c', user: 'oidc:anna', outcome: 'rejected', code: 'Forbidden' }));
        const found = async (query: Partial<AuditQuery>): Promise<string[]> =>
          (await auditLog.search({ ...EVERY_ENTRY, ...query })).map(({ target }) => target);
        assert.deepEqual(await found({ person: 'anna' }), ['c', 'a']);
        assert.deepEqual(await found({ environment: 'shop' }), ['b', 'a']);
        assert.deepEqual(await found({ environment: 'sho' }), [], 'an environment is named whole');
        assert.deepEqual(await found({ text: 'forbidden' }), ['c']);
        assert.deepEqual(await found({ text: 'TEAM-B', environment: 'shop' }), ['b']);
        const [newest] = await auditLog.search({ ...EVERY_ENTRY, limit: 1 });
        assert.deepEqual(await found({ limit: 1, before: newest?.id ?? 0 }), ['b']);
      }));

    it('counts an id once, until its time is over or its use is taken back', () =>
      withStore(async ({ store: { usedIds } }, world) => {
        const uses = await Promise.all([usedIds.use('a', 1_000_500), usedIds.use('a', 1_000_500), usedIds.use('b', 1_000_500)]);
        assert.deepEqual(
          uses.toSorted((a, b) => Number(a) - Number(b)),
          [false, true, true],
        );
        await usedIds.release('b');
        assert.equal(await usedIds.use('b', 1_000_500), true);
        world.now += 501;
        assert.equal(await usedIds.use('a', 1_001_000), true);
        assert.equal(await usedIds.use('a', 1_001_000), false);
      }));

    it('gives the renewal of a session to one of those who ask at once, and to another when that one is taken for dead', () =>
      withStore(async ({ store: { sessions } }, world) => {
        const due = aSession({ refreshToken: 'r', refreshAt: world.now, expiresAt: world.now + 60_000 });
        await sessions.put('k', due);
        await sessions.put('later', aSession({ refreshAt: world.now + 1 }));
        const claim = async (holder: string, key = 'k') =>
          await sessions.claimRenewal(key, { holder, now: world.now, until: world.now + 20 });
        assert.equal(await claim('a', 'later'), undefined, 'it is not due');
        assert.equal(await claim('a', 'none'), undefined);
        const claims = await Promise.all(['a', 'b', 'c'].map(async (holder) => await claim(holder)));
        assert.deepEqual(
          claims.filter((claimed) => claimed !== undefined),
          [due],
        );
        await sessions.releaseRenewal('k', 'somebody else');
        assert.equal(await claim('d'), undefined);
        world.now += 20;
        assert.deepEqual(await claim('d'), due);
        await sessions.releaseRenewal('k', 'd');
        assert.deepEqual(await claim('e'), due);
        await sessions.replace('k', { ...due, refreshAt: world.now + 5 });
        assert.equal(await claim('f'), undefined, 'it is renewed');
        world.now += 5;
        assert.ok(await claim('f'), 'the claim of the last renewal is over');
      }));

    it('keeps fifty sessions of a person, those that were used last', () =>
      withStore(async ({ store }) => {
        for (let n = 0; n < 52; n++) await store.sessions.put(`s${n}`, aSession({ seenAt: n === 0 ? 99 : n }));
        await store.sessions.put('other', aSession({ subject: 'u2', seenAt: 0 }));
        const there = await Promise.all(['s0', 's1', 's2', 's3', 's51', 'other'].map((key) => store.sessions.get(key)));
        assert.deepEqual(
          there.map((session) => session !== undefined),
          [true, false, false, true, true, true],
        );
      }));

    it('takes many writes at once and loses none', () =>
      withStore(async ({ store, reopen }) => {
        const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
        await Promise.all(keys.map((key) => store.sessions.put(key, aSession({ subject: key, idToken: key }))));
        const again = await reopen();
        for (const key of keys) assert.equal((await again.sessions.get(key))?.idToken, key);
      }));
  });
}

export type Open<S extends Store> = (clock: () => number) => Promise<StoreUnderTest<S>>;

export function stores<S extends Store>(open: Open<S>): WithStore<S> {
  return async (act) => {
    const world = { now: 1_000_000 };
    const under = await open(() => world.now);
    try {
      await act(under, world);
    } finally {
      await under.remove();
    }
  };
}
