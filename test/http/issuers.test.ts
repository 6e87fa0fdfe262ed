import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, describe, it, mock } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import { otherIssuers } from '../../src/compose/identity/trusted-issuers.ts';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { JwtAuthenticator } from '../../src/identity/claims/authentication-configuration.ts';
import { ciAuthenticator } from '../../src/identity/claims/ci-presets.ts';
import { DEFAULT_CLAIMS, type IdentitySettings } from '../../src/identity/identity-settings.ts';
import { type CiIssuer, JOB_CLAIMS, startCiIssuer } from '../support/ci-issuer.ts';
import { type House, openHouse } from './support/house.ts';

const AUDIENCE = 'https://apps.example.com';

describe('an issuer beside the one where people sign in', () => {
  let ci: CiIssuer;
  let issuers: IdentitySettings['otherIssuers'];
  let house: House;
  before(async () => {
    ci = await startCiIssuer();
    const entry = ciAuthenticator({ preset: 'gitlab', prefix: '', url: ci.url }, [AUDIENCE]);
    const trusted: JwtAuthenticator = { ...entry, issuer: { ...entry.issuer, certificateAuthority: ci.authority } };
    issuers = otherIssuers({ others: [trusted], demoClaims: DEFAULT_CLAIMS }, []);
    house = await openHouse({ settings: { otherIssuers: issuers } });
  });
  after(async () => {
    await house.close();
    await ci.close();
  });

  const ask = async (token: string): Promise<{ status: number; body: { actor: unknown; detail: string } }> => {
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as { actor: unknown; detail: string } };
  };
  const job = (change: object = {}, header = {}): Promise<string> => ci.sign({ ...JOB_CLAIMS, aud: AUDIENCE, ...change }, header);
  /** A token by the key of the people's issuer. */
  const byPeople = async (claims: object, kid?: string): Promise<string> => {
    const secrets = await readSecrets(house.stateDir);
    assert.ok(secrets);
    return await new SignJWT({ exp: Math.floor(Date.now() / 1000) + 60, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: kid ?? secrets.signingKey.kid ?? '' })
      .sign(await importJWK(secrets.signingKey, 'RS256'));
  };

  it('names the jobs of its tokens by its own rules', async () => {
    const { status, body } = await ask(await job());
    assert.equal(status, 200, body.detail);
    assert.deepEqual(body.actor, {
      user: 'ci:shop/orders',
      groups: ['chandlery:signed-in', 'ci:shop/*', 'ci:shop/orders', 'ci:shop/orders:branch:main', 'ci:shop/orders:protected'],
    });
    const person = await ask(await house.issuer.mintToken('dev-a'));
    assert.deepEqual(person.body.actor, { user: 'oidc:dev-a', groups: ['chandlery:signed-in', 'oidc:team-a'] });
  });

  const CONFUSED: readonly [string, () => Promise<string>, RegExp][] = [
    [
      'of the people’s key under the name of this issuer',
      () => byPeople({ ...JOB_CLAIMS, iss: ci.url, aud: AUDIENCE }),
      /no key of the identity provider/,
    ],
    [
      'of the people’s key under the name and key id of this issuer',
      () => byPeople({ ...JOB_CLAIMS, iss: ci.url, aud: AUDIENCE }, ci.key().jwk.kid),
      /signature is wrong/,
    ],
    [
      'of this issuer’s key under the name of the people’s',
      () => job({ iss: house.issuer.issuerUrl.href, sub: 'admin', aud: house.origin }),
      /no key of the identity/,
    ],
    ['for the audience of the people’s issuer', () => job({ aud: house.origin }), /another audience/],
    [
      'of the people’s issuer for the audience of this one',
      () => byPeople({ sub: 'dev-a', iss: house.issuer.issuerUrl.href, aud: AUDIENCE }),
      /another audience/,
    ],
    ['under the name with a slash behind it', () => job({ iss: `${ci.url}/` }), /no key of the identity provider/],
    ['issued to a client that is no audience', () => job({ azp: 'evil' }), /issued to the client "evil"/],
    ['of no project', () => job({ project_path: undefined }), /cannot be evaluated/],
    ['of a project that is an account of the cluster', () => job({ project_path: 'system:admin' }), /its name would be ambiguous/],
    [
      'signed with its public key as a shared secret',
      async () => {
        const pem = createPublicKey({ key: ci.key().jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
        const token = new SignJWT({ ...JOB_CLAIMS, iss: ci.url, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 60 });
        return await token.setProtectedHeader({ alg: 'HS256', kid: ci.key().jwk.kid ?? '' }).sign(Buffer.from(pem));
      },
      /not accept/,
    ],
  ];
  for (const [what, token, why] of CONFUSED) {
    it(`does not count for a token ${what}`, async () => {
      const { status, body } = await ask(await token());
      assert.equal(status, 401);
      assert.match(body.detail, why);
    });
  }

  it('signs nobody in in a browser', async () => {
    const browser = house.browser();
    const token = await job();
    browser.setCookie(`chandlery-${new URL(house.origin).port}`, token);
    assert.equal((await browser.visit('/api/v1/me', { headers: { accept: 'application/json' } })).status, 401);
    const login = await browser.visit('/login', { redirects: 'stop' });
    const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const mixedUp = await browser.visit(`/auth/callback?state=${state}&code=x&iss=${encodeURIComponent(ci.url)}`);
    assert.equal(mixedUp.status, 401);
  });

  it('can change its key: its new tokens count as soon as its keys may be asked for again, and its old ones end with the old key', async () => {
    const old = await job();
    assert.equal((await ask(old)).status, 200);
    await ci.rotate();
    assert.equal((await ask(await job())).status, 401, 'its keys were just read');
    // Half a minute later by the clock; nobody can have them read more often.
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 31_000 });
    try {
      const { status, body } = await ask(await job());
      assert.equal(status, 200, body.detail);
      assert.match((await ask(old)).body.detail, /no key of the identity provider/);
    } finally {
      mock.timers.reset();
    }
  });

  it('is away for its own tokens alone', async () => {
    ci.setAway('away');
    const later = await openHouse({ settings: { otherIssuers: issuers } });
    try {
      const answer = await fetch(`${later.origin}/api/v1/me`, { headers: { authorization: `Bearer ${await job()}` } });
      assert.equal(answer.status, 503);
      const person = { authorization: `Bearer ${await later.issuer.mintToken('dev-a')}` };
      assert.equal((await fetch(`${later.origin}/api/v1/me`, { headers: person })).status, 200);
      assert.equal((await fetch(`${later.origin}/readyz`)).status, 200);
    } finally {
      ci.setAway('back');
      await later.close();
    }
  });
});
