import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CookieBrowser, Visit } from './support/cookie-browser.ts';
import { type House, openHouse } from './support/house.ts';

describe('signing in', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  const sessionName = (): string => `chandlery-${new URL(house.origin).port}`;
  const me = async (browser: CookieBrowser): Promise<{ status: number; user?: string }> => {
    const answer = await browser.visit('/api/v1/me', { headers: { accept: 'application/json' } });
    return { status: answer.status, ...(answer.status === 200 && { user: JSON.parse(answer.text).actor.user }) };
  };
  /** Goes as far as the address that the issuer sends the browser back to, and does not open it. */
  const callbackOf = async (browser: CookieBrowser, change: (address: URL) => void = () => undefined): Promise<URL> => {
    const start = await browser.visit('/login', { redirects: 'stop' });
    const address = new URL(start.headers.get('location') ?? '');
    change(address);
    const choice = await browser.visit(address);
    const chosen = await browser.visit(choice.url, { method: 'POST', body: new URLSearchParams({ person: 'dev-a' }), redirects: 'stop' });
    const answer = await browser.visit(chosen.headers.get('location') ?? '', { redirects: 'stop' });
    return new URL(answer.headers.get('location') ?? '');
  };
  const rejected = (visit: Visit): string => {
    const view = JSON.parse(visit.text);
    assert.equal(visit.status, 401);
    assert.equal(view.code, 'Unauthenticated');
    assert.deepEqual(view.action, { label: 'Sign in again', href: '/login' });
    return view.message;
  };

  it('brings a developer back to the page they asked for, as themselves', async () => {
    const browser = house.browser();
    const asked = await browser.visit('/apps?q=cache&tier=a%20b');
    assert.equal(asked.url.pathname.startsWith('/issuer/interaction/'), true);
    const back = await browser.submit(asked.url, { person: 'dev-a' });
    assert.equal(back.text, 'hello Asha Rao at /apps?q=cache&tier=a%20b');
    const answer = await browser.visit('/api/v1/me');
    const { actor, person } = JSON.parse(answer.text);
    assert.deepEqual(actor, { user: 'oidc:dev-a', groups: ['chandlery:signed-in', 'oidc:team-a'] });
    assert.deepEqual(person, { name: 'Asha Rao', email: 'asha@example.com' });
  });

  it('asks with a code, PKCE, a state and a nonce', async () => {
    const start = await house.browser().visit('/login', { redirects: 'stop' });
    const query = new URL(start.headers.get('location') ?? '').searchParams;
    assert.equal(query.get('response_type'), 'code');
    assert.equal(query.get('code_challenge_method'), 'S256');
    for (const name of ['code_challenge', 'state', 'nonce']) assert.ok((query.get(name) ?? '').length >= 43, name);
  });

  it('keeps the session in a cookie that no script reads and no other site sends along', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    assert.match(browser.attributesOf(sessionName()), /Path=\/; .*HttpOnly; SameSite=Lax/);
    assert.ok((browser.cookie(sessionName()) ?? '').length >= 43);
  });

  it('keeps no token where the browser could read it', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    for (const name of browser.cookieNames()) assert.doesNotMatch(browser.cookie(name) ?? '', /^eyJ/, name);
  });

  const ELSEWHERE = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/%0d%0aLocation:x',
    'javascript:alert(1)',
  ];
  for (const target of ELSEWHERE) {
    it(`never leads to another site: return=${JSON.stringify(target)}`, async () => {
      const back = await house.browser().signIn('dev-a', target);
      assert.equal(back.url.origin, house.origin);
      assert.deepEqual([...new Set(back.hops.map((hop) => hop.origin))], [house.origin]);
    });
  }

  it('does not go round when the return address is the sign-in itself', async () => {
    const back = await house.browser().signIn('dev-a', '/login?return=/login');
    assert.equal(back.url.pathname, '/');
  });

  it('rejects an answer whose state was changed', async () => {
    const browser = house.browser();
    const address = await callbackOf(browser);
    address.searchParams.set('state', `${address.searchParams.get('state')}x`);
    assert.match(rejected(await browser.visit(address)), /Sign in again/);
    assert.equal((await me(browser)).status, 401);
  });

  it('rejects an id token whose nonce is not the one of this sign-in', async () => {
    const browser = house.browser();
    const address = await callbackOf(browser, (authorization) => authorization.searchParams.set('nonce', 'x'.repeat(43)));
    assert.match(rejected(await browser.visit(address)), /does not belong to this sign-in/);
    assert.equal((await me(browser)).status, 401);
  });

  it('rejects a code that was stolen into another browser', async () => {
    const address = await callbackOf(house.browser());
    const thief = house.browser();
    assert.match(rejected(await thief.visit(address)), /begun in another browser/);
    assert.equal((await me(thief)).status, 401);
  });

  it('rejects an answer that is used a second time', async () => {
    const browser = house.browser();
    const address = await callbackOf(browser);
    const state = address.searchParams.get('state') ?? '';
    const cookie = `${sessionName()}-login-${state.slice(0, 20)}`;
    const sealed = browser.cookie(cookie) ?? '';
    assert.equal((await browser.visit(address)).status, 200);
    assert.equal(browser.cookie(cookie), undefined);
    browser.setCookie(cookie, sealed);
    assert.match(rejected(await browser.visit(address)), /the answer of the identity provider was used already/);
  });

  it('rejects a sign-in that took longer than ten minutes', async () => {
    const browser = house.browser();
    const address = await callbackOf(browser);
    house.pass(601_000);
    assert.match(rejected(await browser.visit(address)), /more than ten minutes/);
  });

  it('lets several tabs sign in at once', async () => {
    const browser = house.browser();
    const tabs = [await browser.visit('/login?return=/apps/one'), await browser.visit('/login?return=/apps/two')];
    const pages = [];
    for (const tab of tabs) pages.push(await browser.submit(tab.url, { person: 'dev-a' }));
    assert.deepEqual(
      pages.map(({ text }) => text),
      ['hello Asha Rao at /apps/one', 'hello Asha Rao at /apps/two'],
    );
  });

  it('does not let forgotten sign-ins fill the cookie header', async () => {
    const browser = house.browser();
    for (let tab = 0; tab < 30; tab++) await browser.visit('/login', { redirects: 'stop' });
    const logins = browser.cookieNames().filter((name) => name.includes('-login-'));
    assert.ok(logins.length <= 8, `${logins.length} cookies`);
  });

  it('says so when somebody cancels at the issuer', async () => {
    const browser = house.browser();
    const choice = await browser.visit('/login');
    assert.match(rejected(await browser.submit(choice.url, { person: '' })), /cancelled.*access_denied/);
  });

  it('never takes over a session id that the browser brought (session fixation)', async () => {
    const browser = house.browser();
    browser.setCookie(sessionName(), 'chosen-by-an-attacker');
    await browser.signIn('dev-a');
    assert.notEqual(browser.cookie(sessionName()), 'chosen-by-an-attacker');
    const attacker = house.browser();
    attacker.setCookie(sessionName(), 'chosen-by-an-attacker');
    assert.equal((await me(attacker)).status, 401);
  });

  it('ends the session before when somebody signs in again', async () => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    const before = browser.cookie(sessionName()) ?? '';
    await browser.visit('/login');
    assert.notEqual(browser.cookie(sessionName()), before);
    const old = house.browser();
    old.setCookie(sessionName(), before);
    assert.equal((await me(old)).status, 401);
    assert.deepEqual(await me(browser), { status: 200, user: 'oidc:dev-a' });
  });

  it('begins on the host that the public URL names, once', async () => {
    const other = house.origin.replace('127.0.0.1', 'localhost');
    const first = await fetch(`${other}/login?return=/apps`, { redirect: 'manual' });
    assert.equal(first.headers.get('location'), `${house.origin}/login?return=%2Fapps&canonical=1`);
    const behindProxy = await fetch(`${other}/login?canonical=1`, { redirect: 'manual' });
    assert.match(behindProxy.headers.get('location') ?? '', /\/issuer\/auth\?/);
  });
});
