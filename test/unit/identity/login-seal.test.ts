import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { sealLogin, unsealLogin } from '../../../src/identity/login-seal.ts';

describe('a sealed sign-in', () => {
  const key = new Uint8Array(randomBytes(32));
  const login = { state: 'state', nonce: 'nonce', verifier: 'verifier', returnTo: '/apps' };
  const now = Date.now();

  it('comes back whole, and hides what it holds', async () => {
    const sealed = await sealLogin(login, key, now);
    assert.deepEqual(await unsealLogin(sealed, 'state', { key, now: now + 599_000 }), login);
    assert.doesNotMatch(Buffer.from(sealed, 'base64url').toString('latin1'), /verifier|nonce/);
  });

  it('is rejected when it is missing, late, changed, of another key, or of another state', async () => {
    const sealed = await sealLogin(login, key, now);
    const stale = { name: 'AppError', code: 'Unauthenticated' };
    await assert.rejects(unsealLogin(undefined, 'state', { key, now }), stale);
    await assert.rejects(unsealLogin(sealed, 'state', { key, now: now + 601_000 }), stale);
    await assert.rejects(unsealLogin(`${sealed.slice(0, -2)}AA`, 'state', { key, now }), stale);
    await assert.rejects(unsealLogin(sealed, 'state', { key: new Uint8Array(32), now }), stale);
    await assert.rejects(unsealLogin(sealed, 'other', { key, now }), stale);
    await assert.rejects(unsealLogin(sealed, null, { key, now }), stale);
  });
});
