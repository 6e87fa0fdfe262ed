import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { CookieBrowser, Visit } from './support/cookie-browser.ts';
import { type House, openHouse } from './support/house.ts';

const soon = (): number => Math.floor(Date.now() / 1000) + 600;

describe('signing out', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  const isSignedIn = async (browser: CookieBrowser): Promise<boolean> => (await browser.visit('/api/v1/me')).status === 200;
  const confirm = (browser: CookieBrowser, page: Visit): Promise<Visit> => {
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    return browser.submit('/issuer/session/end/confirm', { xsrf, logout: 'yes' });
  };

  it('ends the session here and at the issuer', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const session = browser.cookie(`chandlery-${new URL(house.origin).port}`) ?? '';
    const atIssuer = await browser.submit('/logout', {});
    assert.equal(atIssuer.url.searchParams.get('id_token_hint'), null, 'no token is left in a history');
    const done = await confirm(browser, atIssuer);
    assert.equal(done.url.href, `${house.origin}/signed-out`);
    assert.equal(JSON.parse(done.text).title, 'You are signed out');
    assert.match((await browser.visit('/login')).text, /<h1>Sign in as<\/h1>/, 'the issuer asks who it is again');
    browser.setCookie(`chandlery-${new URL(house.origin).port}`, session);
    assert.equal(await isSignedIn(browser), false, 'the old secret is worth nothing');
  });

  it('revokes the refresh token, so that a copy of it is worth nothing', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const key = createHash('sha256')
      .update(browser.cookie(`chandlery-${new URL(house.origin).port}`) ?? '')
      .digest('hex');
    const { refreshToken = '' } = (await house.store.sessions.get(key)) ?? {};
    assert.notEqual(refreshToken, '');
    assert.equal((await browser.visit('/logout', { method: 'POST', redirects: 'stop' })).status, 303);
    const { issuerUrl, clientId, clientSecret } = house.issuer;
    const answer = await fetch(`${issuerUrl.href}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    assert.deepEqual([answer.status, ((await answer.json()) as { error: string }).error], [400, 'invalid_grant']);
  });

  it('needs no second click where the browser says that our own page asked', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const address = (await browser.submit('/logout', {})).url;
    const script = async (site: string): Promise<boolean> =>
      (await browser.visit(address, { headers: { 'sec-fetch-site': site } })).text.includes('sign-out.js');
    assert.deepEqual([await script('same-origin'), await script('cross-site'), await script('none')], [true, false, false]);
  });

  it('sends the ID token along for an issuer that demands it, and nobody can use that as a bearer token, renewed or not', async () => {
    const strict = await openHouse({ settings: { signOutHint: 'id-token' } });
    try {
      for (const minutes of [0, 60]) {
        const browser = strict.browser();
        await browser.signIn('dev-a');
        strict.pass(minutes * 60_000);
        assert.equal((await browser.visit('/api/v1/me')).status, 200);
        const { headers } = await browser.visit('/logout', { method: 'POST', redirects: 'stop' });
        const hint = new URL(headers.get('location') ?? '').searchParams.get('id_token_hint') ?? '';
        strict.pass(-minutes * 60_000);
        const answer = await fetch(`${strict.origin}/api/v1/me`, { headers: { authorization: `Bearer ${hint}` } });
        assert.equal(answer.status, 401);
        assert.match(((await answer.json()) as { detail: string }).detail, /ID token of a sign-in/);
      }
    } finally {
      await strict.close();
    }
  });

  it('asks before the issuer ends a session that a foreign link wants to end', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const page = await browser.visit('/issuer/session/end');
    assert.match(page.text, /<button[^>]*>Sign out<\/button>/);
    assert.doesNotMatch(page.text, /<script/);
    assert.equal(await isSignedIn(browser), true);
  });

  it('ends the session here also while the issuer is away, and says that only', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    house.pass(10_000);
    house.setIssuerAway('away');
    const done = await browser.submit('/logout', {});
    house.setIssuerAway('back');
    assert.match(JSON.parse(done.text).message, /The sign-out at the identity provider failed/);
    assert.equal(await isSignedIn(browser), false);
  });

  it('may lead to an issuer at another origin, which the policy for forms names', async () => {
    const other = await openHouse({ settings: { issuer: house.issuer.issuerUrl } });
    const answer = await fetch(`${other.origin}/signed-out`);
    await other.close();
    assert.ok(answer.headers.get('content-security-policy')?.includes(`form-action 'self' ${house.origin};`));
  });

  it('is a form, not a link', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const answer = await browser.visit('/logout');
    assert.equal(answer.status, 405);
    assert.equal(await isSignedIn(browser), true);
  });

  const logoutToken = async (claims: Readonly<Record<string, unknown>>, typ = 'logout+jwt'): Promise<string> => {
    const secrets = await readSecrets(house.stateDir);
    assert.ok(secrets, join(house.stateDir, 'issuer'));
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ aud: 'chandlery', jti: randomUUID(), iat: now, exp: now + 120, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ, kid: secrets.signingKey.kid ?? '' })
      .setIssuer(house.issuer.issuerUrl.href)
      .sign(await importJWK(secrets.signingKey, 'RS256'));
  };
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const tell = (token: string): Promise<Response> =>
    fetch(`${house.origin}/auth/backchannel-logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });

  it('ends the sessions of a person whom the issuer names over the back channel', async () => {
    const [asha, ben] = [house.browser(), house.browser()];
    await asha.signIn('dev-a');
    await ben.signIn('dev-b');
    assert.equal((await tell(await logoutToken({ sub: 'dev-a', events }))).status, 200);
    assert.deepEqual([await isSignedIn(asha), await isSignedIn(ben)], [false, true]);
  });

  const POWERLESS: readonly [string, () => Promise<string>][] = [
    ['an access token', () => house.issuer.mintToken('dev-a')],
    ['a logout token for another client', () => logoutToken({ sub: 'dev-a', events, aud: 'somebody-else' })],
    ['a logout token without an id', () => logoutToken({ sub: 'dev-a', events, jti: undefined })],
    ['a logout token of the future', () => logoutToken({ sub: 'dev-a', events, iat: soon(), exp: soon() + 60 })],
    ['a logout token that is eleven minutes old', () => logoutToken({ sub: 'dev-a', events, iat: soon() - 1261 })],
    ['a token of another type', () => logoutToken({ sub: 'dev-a', events }, 'at+jwt')],
    ['a token without the event', () => logoutToken({ sub: 'dev-a' })],
    ['a logout token with a nonce', () => logoutToken({ sub: 'dev-a', events, nonce: 'n' })],
    ['a logout token that names nobody', () => logoutToken({ events })],
    ['garbage', () => Promise.resolve('garbage')],
  ];
  for (const [what, token] of POWERLESS) {
    it(`ends nothing for ${what}`, async () => {
      const browser = house.browser();
      await browser.signIn('dev-a');
      const answer = await tell(await token());
      assert.ok(answer.status === 400 || answer.status === 401, String(answer.status));
      assert.equal(await isSignedIn(browser), true);
    });
  }

  it('ends no session of another session at the issuer', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    await tell(await logoutToken({ sub: 'dev-a', sid: 'of-another', events }));
    assert.equal(await isSignedIn(browser), true);
  });

  it('counts a logout token once', async () => {
    const token = await logoutToken({ sub: 'dev-a', events });
    assert.equal((await tell(token)).status, 200);
    const browser = house.browser();
    await browser.signIn('dev-a');
    assert.equal((await tell(token)).status, 400);
    assert.equal(await isSignedIn(browser), true);
  });

  it('does not take a logout token for a bearer token', async () => {
    const token = await logoutToken({ sub: 'dev-a', events });
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 401);
  });
});
