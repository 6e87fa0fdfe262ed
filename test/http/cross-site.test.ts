import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CookieBrowser } from './support/cookie-browser.ts';
import { type House, openHouse } from './support/house.ts';

type Headers = Readonly<Record<string, string>>;

describe('a form with our cookie', () => {
  let house: House;
  let browser: CookieBrowser;
  let cookie: string;
  before(async () => {
    house = await openHouse();
    browser = house.browser();
    await browser.signIn('dev-a');
    const name = `chandlery-${new URL(house.origin).port}`;
    cookie = `${name}=${browser.cookie(name)}`;
  });
  after(() => house.close());

  const withFile = (): FormData => {
    const form = new FormData();
    form.append('_file', new File(['a: 1\n'], 'a.yaml'));
    return form;
  };
  const send = async (
    method: string,
    headers: Headers,
    form: URLSearchParams | FormData = new URLSearchParams({ a: 'b' }),
  ): Promise<number> => {
    const body = method === 'POST' ? { body: form } : {};
    return (await fetch(`${house.origin}/apps`, { method, headers: { cookie, ...headers }, ...body })).status;
  };

  const CASES: readonly [string, 'POST' | 'GET', (origin: string) => Headers, number][] = [
    ['our own page sends it', 'POST', (origin) => ({ 'sec-fetch-site': 'same-origin', origin }), 200],
    ['our own page sends it and hides the origin', 'POST', () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' }), 200],
    ['another site sends it', 'POST', () => ({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }), 403],
    ['another site sends it and claims our origin', 'POST', (origin) => ({ 'sec-fetch-site': 'cross-site', origin }), 403],
    ['a neighbouring host sends it', 'POST', () => ({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }), 403],
    ['the person sends it, with our origin', 'POST', (origin) => ({ 'sec-fetch-site': 'none', origin }), 200],
    ['the person sends it, from nowhere', 'POST', () => ({ 'sec-fetch-site': 'none' }), 403],
    ['an old browser sends it from our page', 'POST', (origin) => ({ origin }), 200],
    ['an old browser sends it from another site', 'POST', () => ({ origin: 'https://evil.example' }), 403],
    ['an old browser sends it from an origin that begins like ours', 'POST', (origin) => ({ origin: `${origin}.evil.example` }), 403],
    ['it says nothing of where it comes from', 'POST', () => ({}), 403],
    ['it says null', 'POST', () => ({ origin: 'null' }), 403],
    ['it only reads', 'GET', () => ({ 'sec-fetch-site': 'cross-site' }), 200],
  ];
  for (const [what, method, headers, expected] of CASES) {
    it(`${expected === 200 ? 'passes' : 'is rejected'} when ${what}`, async () => {
      assert.equal(await send(method, headers(house.origin)), expected);
      assert.equal(await send(method, headers(house.origin), withFile()), expected, 'with a file');
    });
  }

  it('is rejected with the code CrossSiteRequest and a sentence', async () => {
    const answer = await fetch(`${house.origin}/api/v1/echo`, {
      method: 'POST',
      headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{}',
    });
    const problem = (await answer.json()) as { code: string; detail: string };
    assert.equal(problem.code, 'CrossSiteRequest');
    assert.match(problem.detail, /it came from "https:\/\/evil\.example", not from http:\/\/127\.0\.0\.1/);
  });

  it('signs nobody out when another site sends the sign-out', async () => {
    const answer = await fetch(`${house.origin}/logout`, { method: 'POST', headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    assert.equal(answer.status, 403);
    assert.equal((await browser.visit('/api/v1/me')).status, 200);
  });

  it('is not asked where it comes from when a bearer token is sent, and then the cookie counts for nothing', async () => {
    const authorization = `Bearer ${await house.issuer.mintToken('dev-b')}`;
    const headers = { cookie, authorization, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' };
    assert.equal((await fetch(`${house.origin}/api/v1/echo`, { method: 'POST', headers, body: '{}' })).status, 200);
    const me = (await (await fetch(`${house.origin}/api/v1/me`, { headers })).json()) as { actor: { user: string } };
    assert.equal(me.actor.user, 'oidc:dev-b');
  });

  it('does not fall back on the cookie when the bearer token is bad', async () => {
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { cookie, authorization: 'Bearer garbage' } });
    assert.equal(answer.status, 401);
  });
});
