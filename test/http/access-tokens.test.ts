import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AccessToken } from '../../src/domain/access-token/access-token.ts';
import { newTokenText, tokenDigest } from '../../src/domain/access-token/token-text.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { type House, openHouse } from './support/house.ts';

const DAY = 86_400_000;

describe('a personal access token', () => {
  let house: House;
  before(async () => {
    house = await openHouse({ settings: { tokenAbsence: 10 * DAY } });
  });
  after(() => house.close());

  let tokens = 0;
  const create = async (change: Partial<AccessToken> = {}): Promise<{ readonly id: string; readonly text: string }> => {
    const [text, id] = [newTokenText(), `token-${(tokens += 1)}`];
    const times = { seenAt: Date.now(), createdAt: Date.now(), expiresAt: Date.now() + 365 * DAY };
    const user = { user: 'oidc:dev-a', subject: 'dev-a', groups: ['chandlery:signed-in', 'oidc:old-team'], person: { name: 'Asha' } };
    const token = { id, digest: tokenDigest(text) ?? '', name: 'deploy', scope: 'read', ...times, ...user, ...change } as const;
    assert.equal(await house.store.accessTokens.add(token, 50), 'added');
    return { id, text };
  };
  const ask = async (text: string, method = 'GET', path = '/api/v1/me'): Promise<{ readonly status: number; readonly body: string }> => {
    const response = await fetch(`${house.origin}${path}`, { method, headers: { authorization: `Bearer ${text}` } });
    return { status: response.status, body: await response.text() };
  };

  it('stands for its user with the groups and the limits that it has, until it is revoked', async () => {
    const environments = [{ name: 'shop', namespace: 'shop-ns' }];
    const { id, text } = await create({ environments });
    const { actor } = JSON.parse((await ask(text)).body) as { actor: unknown };
    const limits = { id, name: 'deploy', scope: 'read', environments };
    assert.deepEqual(actor, { user: 'oidc:dev-a', groups: ['chandlery:signed-in', 'oidc:old-team'], limits });
    assert.ok((await house.store.accessTokens.list('oidc:dev-a')).some((token) => token.id === id && token.usedAt !== undefined));
    await house.store.accessTokens.revoke(id);
    const { status, body } = await ask(text);
    assert.equal(status, 401);
    assert.match(body, /revoked/);
  });

  it('with the scope read sends no other methods than those that read', async () => {
    const { text } = await create();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await ask(text, method, '/api/v1/echo');
      assert.equal(status, 403, method);
      assert.match(body, /scope read/);
    }
    const writer = await create({ scope: 'write' });
    assert.notEqual((await ask(writer.text, 'POST', '/api/v1/echo')).status, 403);
  });

  it('gets the groups of the next sign-in of its user', async () => {
    const [own, namesake] = [await create(), await create({ subject: 'somebody-else' })];
    await house.browser().signIn('dev-a');
    const groupsOf = async (text: string): Promise<unknown> =>
      (JSON.parse((await ask(text)).body) as { actor: { groups: unknown } }).actor.groups;
    assert.deepEqual(await groupsOf(own.text), ['chandlery:signed-in', 'oidc:team-a']);
    assert.deepEqual(await groupsOf(namesake.text), ['chandlery:signed-in', 'oidc:old-team'], 'another person with the same name');
  });

  it('is in no log, wherever somebody puts it', async () => {
    const { id, text } = await create();
    await ask(text);
    await ask(text.slice(0, -1));
    await fetch(`${house.origin}/api/v1/me/${text}?access_token=${text}`, { headers: { cookie: `chandlery=${text}` } });
    const lines = stringifyJson(house.log);
    assert.ok(!lines.includes(text.slice(4, 30)));
    assert.ok(lines.includes(id), 'its id is');
  });

  it('pauses when its user has not signed in for long, works again after a sign-in, and ends at its end', async () => {
    const { text } = await create({ expiresAt: Date.now() + 20 * DAY });
    house.pass(10 * DAY);
    const paused = await ask(text);
    assert.deepEqual([paused.status, /paused.*10 days/.test(paused.body)], [401, true], paused.body);
    await house.browser().signIn('dev-a');
    assert.equal((await ask(text)).status, 200);
    house.pass(10 * DAY);
    await house.browser().signIn('dev-a');
    const over = await ask(text);
    assert.deepEqual([over.status, /expired/.test(over.body)], [401, true], over.body);
  });

  it('counts against the rate limit of its user, whichever token they send', async () => {
    const limited = await openHouse({ http: { rateLimits: { all: 5, signIn: 50 } } });
    try {
      const texts = [newTokenText(), newTokenText()];
      for (const [index, text] of texts.entries()) {
        const times = { seenAt: Date.now(), createdAt: Date.now(), expiresAt: Date.now() + DAY };
        const who = { user: 'oidc:u', subject: 'u', groups: ['chandlery:signed-in'], person: { name: 'U' } };
        const token = { id: `t${index}`, digest: tokenDigest(text) ?? '', name: 't', scope: 'read', ...times, ...who } as const;
        await limited.store.accessTokens.add(token, 50);
      }
      const statuses: number[] = [];
      for (let call = 0; call < 8; call += 1) {
        const headers = { authorization: `Bearer ${texts[call % 2]}` };
        statuses.push((await fetch(`${limited.origin}/api/v1/me`, { headers })).status);
      }
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
    } finally {
      await limited.close();
    }
  });
});
