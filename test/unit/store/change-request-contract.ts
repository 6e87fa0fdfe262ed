import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestDecision, ChangeRequest } from '../../../src/domain/change-request/change-request.ts';
import type { Store } from '../../../src/store/store.ts';

const DAY = 24 * 3_600_000;
const BOUNDS = { ofPerson: 2, ofAll: 3, ended: 2 };
const NO: RequestDecision = { state: 'declined', decidedBy: 'oidc:b', decidedAt: '2026-01-01T00:00:00.000Z', decisionMessage: 'not now' };

export function aChangeRequest(id: string, change: Partial<ChangeRequest> = {}): ChangeRequest {
  return {
    id,
    cluster: 'c1',
    action: 'install',
    environment: 'team-a',
    app: 'caches.example.com',
    name: id,
    content: { replicas: 0, text: '' },
    base: '',
    preflightSummary: { verdict: 'Blocked', blocked: ['You may not'], warned: [] },
    requester: { user: 'oidc:a', groups: ['oidc:team-a'] },
    message: 'please',
    created: new Date(1_000_000).toISOString(),
    expires: new Date(1_000_000 + 14 * DAY).toISOString(),
    state: 'open',
    ...change,
  };
}

/** A store under test, empty at first; `reopen` closes it and opens it again. */
export interface StoreUnderTest {
  readonly store: Store;
  reopen(): Promise<Store>;
  remove(): Promise<void>;
}

type WithStore = (act: (under: StoreUnderTest, world: { now: number }) => Promise<void>) => Promise<void>;

/** What every store must do with change requests. @param withStore gives an empty store with a clock. */
export function describeChangeRequests(name: string, withStore: WithStore): void {
  describe(`the change requests of a store: ${name}`, () => {
    it('are kept over a restart to the letter, the newest first', () =>
      withStore(async ({ store, reopen }) => {
        const [old, young] = [aChangeRequest('old'), aChangeRequest('young', { created: new Date(2_000_000).toISOString() })];
        for (const changeRequest of [old, young]) assert.equal(await store.changeRequests.add(changeRequest, BOUNDS), 'added');
        const again = await reopen();
        assert.deepEqual(await again.changeRequests.list(), [young, old]);
        assert.deepEqual(await again.changeRequests.get('old'), old);
        for (const id of ['none', '__proto__', 'constructor', '']) assert.equal(await again.changeRequests.get(id), undefined, id);
      }));

    it('cannot be changed through what was read', () =>
      withStore(async ({ store }) => {
        await store.changeRequests.add(aChangeRequest('p'), BOUNDS);
        const read = (await store.changeRequests.get('p')) as { content: Record<string, unknown> };
        read.content['replicas'] = 9;
        assert.deepEqual((await store.changeRequests.get('p'))?.content, { replicas: 0, text: '' });
      }));

    it('stop at a number that one person, and all together, may have open, also when asked at once', () =>
      withStore(async ({ store }) => {
        const answers = await Promise.all(['1', '2', '3'].map((id) => store.changeRequests.add(aChangeRequest(id), BOUNDS)));
        assert.deepEqual(answers, ['added', 'added', 'ofPerson']);
        const other = (id: string, user: string): ChangeRequest => aChangeRequest(id, { requester: { user, groups: ['g'] } });
        assert.equal(await store.changeRequests.add(other('4', 'oidc:b'), BOUNDS), 'added');
        assert.equal(await store.changeRequests.add(other('5', 'oidc:c'), BOUNDS), 'ofAll');
        await store.changeRequests.decide('1', NO);
        assert.equal(await store.changeRequests.add(other('5', 'oidc:c'), BOUNDS), 'added', 'what is decided does not count');
      }));

    it('are forgotten beyond a number of ended ones of a person, the oldest first, and never an open one', () =>
      withStore(async ({ store }) => {
        const at = (minute: number): Partial<ChangeRequest> => ({ created: new Date(minute * 60_000).toISOString() });
        await store.changeRequests.add(aChangeRequest('open', at(1)), BOUNDS);
        await store.changeRequests.add(aChangeRequest('theirs', { ...at(2), requester: { user: 'oidc:b', groups: ['g'] } }), BOUNDS);
        await store.changeRequests.decide('theirs', NO);
        for (const minute of [3, 4, 5, 6]) {
          await store.changeRequests.add(aChangeRequest(`p${minute}`, at(minute)), BOUNDS);
          await store.changeRequests.decide(`p${minute}`, NO);
        }
        await store.changeRequests.add(aChangeRequest('last', at(7)), BOUNDS);
        assert.deepEqual(
          (await store.changeRequests.list()).map(({ id }) => id),
          ['last', 'p6', 'p5', 'theirs', 'open'],
        );
      }));

    it('are decided once, and late only where that is the truth', () =>
      withStore(async ({ store }) => {
        await store.changeRequests.add(aChangeRequest('p'), BOUNDS);
        assert.deepEqual(await Promise.all([store.changeRequests.decide('p', NO), store.changeRequests.decide('p', NO)]), [true, false]);
        assert.deepEqual(await store.changeRequests.get('p'), { ...aChangeRequest('p'), ...NO });
        assert.equal(await store.changeRequests.decide('p', { ...NO, state: 'approved' }, 'late'), true);
        assert.equal((await store.changeRequests.get('p'))?.state, 'approved');
        assert.equal(await store.changeRequests.decide('none', NO), false);
      }));

    it('expire, can be looked at for two weeks more, and are forgotten then', () =>
      withStore(async ({ store, reopen }, world) => {
        await store.changeRequests.add(aChangeRequest('p'), BOUNDS);
        world.now = 1_000_000 + 14 * DAY - 1;
        assert.equal((await store.changeRequests.get('p'))?.state, 'open');
        world.now += 1;
        assert.equal((await store.changeRequests.get('p'))?.state, 'expired');
        assert.equal((await store.changeRequests.list())[0]?.state, 'expired');
        assert.equal(await store.changeRequests.decide('p', NO), false);
        world.now += 14 * DAY - 1;
        assert.equal((await (await reopen()).changeRequests.list()).length, 1);
        world.now += 1;
        assert.deepEqual(await (await reopen()).changeRequests.list(), []);
      }));
  });
}
