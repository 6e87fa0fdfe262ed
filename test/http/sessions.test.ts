import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CookieBrowser } from './support/cookie-browser.ts';
import { type House, openHouse } from './support/house.ts';

const MINUTE = 60_000;

describe('a session', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  const statusOf = async (browser: CookieBrowser): Promise<number> => (await browser.visit('/api/v1/me')).status;
  const signedIn = async (): Promise<CookieBrowser> => {
    const browser = house.browser();
    await browser.signIn('dev-a');
    return browser;
  };
  const refreshes = (): number => house.issuerCalls.filter((path) => path === '/token').length;

  it('ends after two hours without a request', async () => {
    const browser = await signedIn();
    house.pass(121 * MINUTE);
    assert.equal(await statusOf(browser), 401);
    assert.equal(browser.cookieNames().includes(`chandlery-${new URL(house.origin).port}`), false, 'the cookie goes too');
  });

  it('ends after twelve hours however much it is used', async () => {
    const browser = await signedIn();
    for (let hour = 0; hour < 11; hour++) {
      house.pass(60 * MINUTE);
      assert.equal(await statusOf(browser), 200, `after hour ${hour + 1}`);
    }
    house.pass(61 * MINUTE);
    assert.equal(await statusOf(browser), 401);
  });

  it('renews its tokens once, however many requests come at that moment', async () => {
    const browser = await signedIn();
    house.pass(60 * MINUTE);
    const before = refreshes();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(browser)));
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(refreshes() - before, 1);
    assert.equal(await statusOf(browser), 200);
    assert.equal(refreshes() - before, 1, 'and not again before the new ones are due');
  });

  it('ends when the issuer rejects the refresh token', async () => {
    const browser = await signedIn();
    const page = await browser.visit('/issuer/session/end');
    await browser.submit('/issuer/session/end/confirm', { xsrf: /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '', logout: 'yes' });
    assert.equal(await statusOf(browser), 200, 'the tokens are still good');
    house.pass(60 * MINUTE);
    assert.equal(await statusOf(browser), 401);
  });

  it('outlives its tokens for ten minutes while the issuer is away, and no longer', async () => {
    const browser = await signedIn();
    house.pass(60 * MINUTE);
    house.setIssuerAway('away');
    assert.equal(await statusOf(browser), 200);
    house.pass(11 * MINUTE);
    const answer = await browser.visit('/api/v1/me');
    assert.equal(answer.status, 503);
    assert.equal(JSON.parse(answer.text).code, 'IssuerUnavailable');
    house.setIssuerAway('back');
    assert.equal(await statusOf(browser), 200, 'and is there again when the issuer is');
  });

  it('is kept under a digest, so that a reader of the store cannot use it', async () => {
    const browser = await signedIn();
    const secret = browser.cookie(`chandlery-${new URL(house.origin).port}`) ?? '';
    assert.equal(await house.store.sessions.get(secret), undefined);
  });

  it('sends a form that comes too late back with a sentence, and does nothing', async () => {
    const browser = await signedIn();
    house.pass(121 * MINUTE);
    const answer = await browser.submit('/apps', { name: 'orders' });
    assert.equal(answer.status, 401);
    assert.match(JSON.parse(answer.text).message, /session has ended, and nothing was changed/);
  });
});
