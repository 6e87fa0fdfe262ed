import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { SessionRecord } from '../../../src/domain/core/session.ts';
import { createRenewal, type Renew } from '../../../src/identity/renewal.ts';

const RECORD: SessionRecord = {
  actor: { user: 'oidc:u1', groups: ['oidc:a'] },
  person: { name: 'u1' },
  subject: 'u1',
  idToken: 'id',
  refreshToken: 'first',
  refreshAt: 1000,
  createdAt: 0,
  seenAt: 0,
  expiresAt: 1_000_000_000,
};
const RENEWED = { ...RECORD, refreshToken: 'second', refreshAt: 5000 };

function setUp(renew: Renew) {
  const table = new Map([['key', RECORD]]);
  const world = { now: 2000, asked: 0, table };
  const sessions = {
    get: async (key: string) => table.get(key),
    replace: async (key: string, record: SessionRecord) => table.has(key) && table.set(key, record) !== undefined,
    delete: async (key: string) => void table.delete(key),
    claimRenewal: async (key: string) => table.get(key),
    releaseRenewal: async () => undefined,
  };
  const counted: Renew = (record) => {
    world.asked += 1;
    return renew(record);
  };
  return { world, renewal: createRenewal({ sessions, renew: counted, clock: () => world.now }) };
}

describe('renewing tokens', () => {
  it('is not asked for before it is time', async () => {
    const { world, renewal } = setUp(async () => RENEWED);
    world.now = 999;
    assert.equal(await renewal.current('key', RECORD), RECORD);
    assert.equal(world.asked, 0);
  });

  it('happens once for requests that read the session before and after it', async () => {
    const { world, renewal } = setUp(async () => RENEWED);
    const early = renewal.current('key', RECORD);
    assert.equal((await early)?.refreshToken, 'second');
    assert.equal((await renewal.current('key', RECORD))?.refreshToken, 'second', 'a request that still holds the old record');
    assert.equal(world.asked, 1);
  });

  it('does not bring back a session that was ended meanwhile', async () => {
    const { world, renewal } = setUp(async () => {
      world.table.delete('key');
      return RENEWED;
    });
    assert.equal(await renewal.current('key', RECORD), undefined);
    assert.equal(world.table.size, 0);
  });

  it('ends the session when the issuer rejects', async () => {
    const { world, renewal } = setUp(() => Promise.reject(new AppError('Unauthenticated', 'no')));
    assert.equal(await renewal.current('key', RECORD), undefined);
    assert.equal(world.table.size, 0);
  });

  it('goes on for others when the issuer fails at one session alone', async () => {
    const cause = { cause: new Response(null, { status: 500 }) };
    const { world, renewal } = setUp(() => Promise.reject(new AppError('IssuerUnavailable', 'HTTP 500', { cause })));
    world.table.set('other', RECORD);
    for (const key of ['key', 'key', 'other', 'other']) assert.equal(await renewal.current(key, RECORD), RECORD);
    assert.equal(world.asked, 2, 'once for each');
    world.now += 15_001;
    await renewal.current('key', RECORD);
    assert.equal(world.asked, 3);
  });

  it('leaves an issuer that was away alone for a while', async () => {
    const { world, renewal } = setUp(() => Promise.reject(new AppError('IssuerUnavailable', 'away')));
    assert.equal(await renewal.current('key', RECORD), RECORD);
    assert.equal(await renewal.current('key', RECORD), RECORD);
    assert.equal(world.asked, 1);
    world.now += 16_000;
    await renewal.current('key', RECORD);
    assert.equal(world.asked, 2);
    world.now += 600_000;
    await assert.rejects(renewal.current('key', RECORD), { code: 'IssuerUnavailable' });
    assert.equal(world.table.size, 1, 'the session is still there for when the issuer is back');
  });
});
