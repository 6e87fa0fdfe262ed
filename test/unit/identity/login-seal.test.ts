import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sealLogin, unsealLogin } from '../../../src/identity/login-seal.ts';
import { sampleSeal } from '../../support/sample-seal.ts';

describe('a sealed sign-in', () => {
  const seal = sampleSeal();
  const login = { state: 'state', nonce: 'nonce', verifier: 'verifier', returnTo: '/apps' };
  const now = Date.now();

  it('comes back whole, and hides what it holds', () => {
    const sealed = sealLogin(login, seal, now);
    assert.deepEqual(unsealLogin(sealed, 'state', { seal, now: now + 599_000 }), login);
    assert.doesNotMatch(Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url').toString('latin1'), /verifier|nonce/);
  });

  it('is rejected when it is missing, late, changed, of another key, or of another state', () => {
    const sealed = sealLogin(login, seal, now);
    const stale = { name: 'AppError', code: 'Unauthenticated' };
    assert.throws(() => unsealLogin(undefined, 'state', { seal, now }), stale);
    assert.throws(() => unsealLogin(sealed, 'state', { seal, now: now + 601_000 }), stale);
    assert.throws(() => unsealLogin(`${sealed.slice(0, -2)}AA`, 'state', { seal, now }), stale);
    assert.throws(() => unsealLogin(sealed, 'state', { seal: sampleSeal(1), now }), stale);
    assert.throws(() => unsealLogin(sealed, 'other', { seal, now }), stale);
    assert.throws(() => unsealLogin(sealed, null, { seal, now }), stale);
  });
});
