import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { identitySettings } from '../../../src/identity/identity-settings.ts';
import { renewedSession, sessionOfTokens, type Tokens } from '../../../src/identity/sessions.ts';
import { createUserTokens } from '../../../src/identity/user-tokens.ts';

const NOW = Date.UTC(2030, 0, 1);
const ADA = { user: 'oidc:ada', groups: ['oidc:team-a'] };
const SETTINGS = identitySettings({
  publicUrl: new URL('https://apps.example.com'),
  issuer: new URL('https://login.example.com'),
  clientId: 'chandlery',
  userToken: 'id',
});

describe('the tokens of people for the api-server', () => {
  it('are those that last longest, for exactly the groups that they came with, until they end', () => {
    let now = NOW;
    const tokens = createUserTokens(() => now);
    tokens.remember(ADA, lasting(600));
    tokens.remember(ADA, lasting(300));
    assert.equal(tokens.tokenOf(ADA), lasting(600));
    assert.equal(tokens.tokenOf({ ...ADA, groups: ['oidc:team-b'] }), undefined);
    now += 600_000;
    assert.equal(tokens.tokenOf(ADA), undefined);
    tokens.remember(ADA, 'no token at all');
    assert.equal(tokens.tokenOf(ADA), undefined);
  });

  it('are renewed before they end, whatever the access token lasts', () => {
    const session = sessionOfTokens(answer({ id: lasting(300), expires: 3600, refresh: 'r' }), SETTINGS, NOW);
    assert.deepEqual([session.userToken, session.refreshAt], [lasting(300), NOW + 240_000]);
    const renewed = renewedSession(session, answer({ id: lasting(600), expires: 3600 }), SETTINGS, NOW);
    assert.deepEqual([renewed.userToken, renewed.refreshToken, renewed.refreshAt], [lasting(600), 'r', NOW + 540_000]);
  });

  it('end the session where the issuer gives no other', () => {
    const session = sessionOfTokens(answer({ id: lasting(300), expires: 3600 }), SETTINGS, NOW);
    assert.equal(session.expiresAt, NOW + 300_000);
    assert.throws(() => renewedSession(session, answer({ expires: 3600 }), SETTINGS, NOW), { code: 'Unauthenticated' });
  });

  it('are not kept where people are impersonated', () => {
    const session = sessionOfTokens(answer({ id: lasting(300), expires: 3600, refresh: 'r' }), { ...SETTINGS, userToken: 'none' }, NOW);
    assert.deepEqual([session.userToken, session.idToken, session.refreshAt], [undefined, undefined, NOW + 3_540_000]);
  });
});

function lasting(seconds: number): string {
  return new UnsecuredJWT({ sub: 'ada' }).setExpirationTime(NOW / 1000 + seconds).encode();
}

/** What the token endpoint answers. */
function answer({ id, expires, refresh }: { readonly id?: string; readonly expires: number; readonly refresh?: string }): Tokens {
  const claims = {
    iss: 'https://login.example.com',
    sub: 'ada',
    aud: 'chandlery',
    iat: NOW / 1000,
    exp: NOW / 1000 + 60,
    groups: ['team-a'],
  };
  const helpers = { claims: () => (id === undefined ? undefined : claims), expiresIn: () => expires };
  const tokens = {
    access_token: 'a',
    token_type: 'bearer' as const,
    ...(id === undefined ? {} : { id_token: id }),
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  };
  return Object.assign(tokens, helpers) as unknown as Tokens;
}
