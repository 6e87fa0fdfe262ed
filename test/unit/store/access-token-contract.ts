import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccessToken, EXPIRED_KEPT_MS } from '../../../src/domain/access-token/access-token.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Open, stores } from './store-contract.ts';

function aToken(change: Partial<AccessToken> = {}): AccessToken {
  const [id, user] = [change.id ?? 't', change.user ?? 'oidc:u1'];
  return {
    id,
    digest: `digest of ${id}`,
    name: 'deploy',
    scope: 'read',
    environments: [{ name: 'shop', namespace: 'shop-ns' }],
    user,
    groups: ['oidc:a'],
    person: { name: 'U One' },
    subject: 'u1',
    seenAt: 1_000_000,
    createdAt: 1_000_000,
    expiresAt: 2_000_000,
    ...change,
  };
}

/** What every store must do with personal access tokens. @param open opens an empty store with a clock. */
export function describeAccessTokens(name: string, open: Open<Store>): void {
  describe(`personal access tokens in ${name}`, () => {
    const withStore = stores(open);

    it('keeps personal access tokens over a restart, and finds none that was revoked', () =>
      withStore(async ({ store, reopen }) => {
        assert.equal(await store.accessTokens.add(aToken(), 9), 'added');
        const { accessTokens } = await reopen();
        assert.deepEqual(await accessTokens.find('digest of t'), aToken());
        await accessTokens.touch('t', 1_060_000);
        assert.deepEqual(await accessTokens.find('digest of t'), aToken({ usedAt: 1_060_000 }));
        for (const digest of ['', 't', 'digest of', '__proto__', 'constructor']) assert.equal(await accessTokens.find(digest), undefined);
        assert.equal(await accessTokens.revoke('t', 'oidc:u2'), undefined, 'it is somebody else’s');
        assert.equal((await accessTokens.revoke('t', 'oidc:u1'))?.name, 'deploy');
        assert.equal(await accessTokens.find('digest of t'), undefined);
        for (const id of ['t', '__proto__']) assert.equal(await accessTokens.revoke(id), undefined);
        await accessTokens.touch('t', 7);
        assert.equal(await accessTokens.find('digest of t'), undefined, 'nothing brings it back');
      }));

    it('keeps no more personal access tokens of a person than the bound, however many come at once', () =>
      withStore(async ({ store: { accessTokens } }, world) => {
        const many = Array.from({ length: 6 }, (_, index) => aToken({ id: `t${index}`, createdAt: 1_000_000 + index }));
        const answers = await Promise.all(many.map(async (token) => await accessTokens.add(token, 3)));
        assert.deepEqual(answers.toSorted(), ['added', 'added', 'added', 'full', 'full', 'full']);
        assert.equal(await accessTokens.add(aToken({ id: 'other', user: 'oidc:u2' }), 3), 'added');
        const own = await accessTokens.list('oidc:u1');
        assert.deepEqual([own.length, (await accessTokens.list()).at(-1)?.id], [3, 'other']);
        assert.deepEqual(
          own,
          own.toSorted((a, b) => b.createdAt - a.createdAt),
          'the newest first',
        );
        world.now = 2_000_000 + EXPIRED_KEPT_MS;
        assert.equal(await accessTokens.add(aToken({ id: 'later', expiresAt: world.now + 1 }), 3), 'added', 'old ones are forgotten');
        assert.equal((await accessTokens.list()).length, 1);
      }));

    it('gives a token of its user another text, and counts no more uses than the bound, however many come at once', () =>
      withStore(async ({ store, reopen }) => {
        const registration = { names: 'team-*', uses: 3, projects: [{ name: 'team/*' }], spec: { tier: 'testing' } };
        await store.accessTokens.add(aToken({ registration }), 9);
        const next = { digest: 'digest of the next', createdAt: 1_400_000, expiresAt: 2_400_000 };
        assert.equal(await store.accessTokens.rotate('t', 'oidc:u2', next), undefined, 'it is somebody else’s');
        assert.equal(await store.accessTokens.rotate('__proto__', 'oidc:u1', next), undefined);
        assert.deepEqual(await store.accessTokens.rotate('t', 'oidc:u1', next), aToken({ registration, ...next }));
        const counted = await Promise.all(Array.from({ length: 6 }, async () => await store.accessTokens.countUse('t', 3)));
        assert.equal(counted.filter(Boolean).length, 3);
        await store.accessTokens.returnUse('t');
        await store.accessTokens.returnUse('none');
        assert.equal(await store.accessTokens.countUse('none', 3), false);
        const { accessTokens } = await reopen();
        assert.equal(await accessTokens.find('digest of t'), undefined, 'the earlier text is worth nothing');
        assert.deepEqual(await accessTokens.find('digest of the next'), aToken({ registration, ...next, uses: 2 }));
      }));

    it('brings the tokens of whoever signs in up to date, and not those of another person with that name', () =>
      withStore(async ({ store: { accessTokens } }) => {
        await accessTokens.add(aToken({ id: 'own' }), 9);
        await accessTokens.add(aToken({ id: 'namesake', subject: 'u9' }), 9);
        const seen = { groups: ['oidc:b'], person: { name: 'New' }, seenAt: 1_500_000 };
        await accessTokens.renew({ user: 'oidc:u1', subject: 'u1', ...seen });
        assert.deepEqual(await accessTokens.find('digest of own'), aToken({ id: 'own', ...seen }));
        assert.deepEqual(await accessTokens.find('digest of namesake'), aToken({ id: 'namesake', subject: 'u9' }));
      }));
  });
}
