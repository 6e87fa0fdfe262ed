import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type House, openHouse } from './support/house.ts';

describe('an issuer that is away at the start', () => {
  let house: House;
  before(async () => {
    house = await openHouse({ issuerUnavailable: 'away' });
  });
  after(() => house.close());

  it('is reported by /readyz, which stays ready for those who are signed in', async () => {
    assert.equal((await fetch(`${house.origin}/healthz`)).status, 200);
    const answer = await fetch(`${house.origin}/readyz`);
    assert.equal(answer.status, 200);
    const { status, unavailable } = (await answer.json()) as { status: string; unavailable: { component: string; message: string }[] };
    assert.equal(status, 'ready');
    assert.equal(unavailable[0]?.component, 'issuer');
    assert.match(unavailable[0]?.message ?? '', /The identity provider at http.*\/issuer does not answer/);
  });

  it('is reported on the sign-in page, with a way to try again', async () => {
    const answer = await house.browser().visit('/login?return=/apps');
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '5');
    const view = JSON.parse(answer.text);
    assert.match(view.message, /^The identity provider at .* does not answer \(\w+\)\. Try again in a moment$/);
    assert.deepEqual(view.action, { label: 'Try again', href: '/login?return=/apps' });
  });

  it('is reported to programs as 503, not as a bad token', async () => {
    const token = await house.issuer.mintToken('dev-a');
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as { code: string }).code, 'IssuerUnavailable');
  });

  it('is used as soon as it is back', async () => {
    house.setIssuerAway('back');
    house.pass(2_000);
    assert.deepEqual(await (await fetch(`${house.origin}/readyz`)).json(), { status: 'ready', unavailable: [] });
    assert.equal((await house.browser().signIn('dev-a', '/apps')).text, 'hello Asha Rao at /apps');
  });
});

describe('an issuer that calls itself otherwise than it is configured', () => {
  it('is named with both names, for the admin', async () => {
    const house = await openHouse();
    const other = await openHouse({ settings: { issuer: new URL(`${house.origin}/issuer/`) } });
    const answer = await other.browser().visit('/login');
    await Promise.all([house.close(), other.close()]);
    assert.equal(answer.status, 503);
    const { message } = JSON.parse(answer.text);
    assert.equal(
      message.replaceAll(house.origin, 'X'),
      'The identity provider at X/issuer/ calls itself "X/issuer": an admin must set the issuer to exactly that',
    );
  });

  it('that answers with an error is reported with its status', async () => {
    const house = await openHouse();
    const other = await openHouse({ settings: { issuer: new URL(`${house.origin}/public/nowhere`) } });
    const answer = await other.browser().visit('/login');
    await Promise.all([house.close(), other.close()]);
    assert.match(JSON.parse(answer.text).message, /does not answer \(HTTP 401\)/);
  });
});
