import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { readNames, readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { CookieBrowser } from '../http/support/cookie-browser.ts';
import type { Attack } from './attack.ts';
import { ADMIN_CLAIMS, type Claims, NO_GROUPS, nowSeconds, signedToken } from './signed-token.ts';
import { CI_AUDIENCE, JOB_CLAIMS } from '../support/ci-issuer.ts';
import type { Target } from './target.ts';

const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const inTenMinutes = (): Claims => ({ iat: nowSeconds() + 600, exp: nowSeconds() + 900 });

/** Tokens with a good signature that are no bearer tokens of ours, by their claims and type. */
const NO_BEARER_TOKENS: readonly (readonly [string, () => Claims, string?])[] = [
  ['the ID token of a sign-in', () => ({ aud: 'chandlery', nonce: 'n' })],
  ['the ID token of a renewal', () => ({ aud: 'chandlery', at_hash: 'h' })],
  ['an ID token with the session of the issuer', () => ({ aud: ['chandlery', 'other'], sid: 's' })],
  ['an ID token that names our client', () => ({ aud: 'chandlery', azp: 'chandlery', nonce: 'n' })],
  ['a token issued to another client', () => ({ azp: 'evil' })],
  ['an access token issued to another client', () => ({ azp: 'evil' }), 'at+jwt'],
  ['an ID token issued to another client', () => ({ aud: ['chandlery'], azp: 'evil', nonce: 'n' })],
  ['a token of the future', inTenMinutes],
  ['a token that begins in the future', () => ({ nbf: nowSeconds() + 600, exp: nowSeconds() + 900 })],
  ['a token that has expired', () => ({ exp: nowSeconds() - 60 })],
  ['a token without an end', () => ({ exp: undefined })],
  ['a token for another audience', () => ({ aud: 'https://elsewhere.example' })],
  ['a token of another issuer', () => ({ iss: 'https://elsewhere.example' })],
  ['a token bound to a key', () => ({ cnf: { jkt: 'thumbprint' } })],
  ['a logout token', () => ({ events: LOGOUT })],
  ['a logout token by its type', () => ({}), 'logout+jwt'],
];

/** Names that a header or a reader would take for another. */
const NO_NAMES: readonly string[] = [
  'admin ',
  ' admin',
  'admin\n',
  'adm\u0131n',
  '\u0430dmin',
  'admin\u200b',
  'system:admin',
  ' SYSTEM:x',
  'a'.repeat(300),
  '',
];
const NO_GROUP_NAMES: readonly string[] = ['platform ', ' platform', 'platform\t', 'pl\u0430tform', 'platform\u200b', 'platform\u0000'];

export const attacks: readonly Attack[] = [
  {
    title: 'somebody sends a token of the issuer that is for another purpose, client or time',
    run: async (target) => {
      for (const [what, claims, typ] of NO_BEARER_TOKENS) {
        const token = await signedToken(target, { ...ADMIN_CLAIMS, ...claims() }, typ === undefined ? {} : { typ });
        assert.equal(await statusWith(target, token), 401, what);
      }
      return NO_BEARER_TOKENS.length;
    },
  },
  {
    title: 'somebody signs tokens without the key of the issuer',
    run: async (target) => {
      const secrets = await readSecrets(target.stateDir);
      assert.ok(secrets);
      const good = await signedToken(target, { sub: 'stranger', preferred_username: 'stranger' });
      const [header = '', payload = '', signature = ''] = good.split('.');
      const claims = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...ADMIN_CLAIMS };
      const forged = [
        new UnsecuredJWT(claims).encode(),
        await byPublicKey(secrets.signingKey, claims),
        [header, Buffer.from(stringifyJson(claims)).toString('base64url'), signature].join('.'),
        [header, Buffer.from(stringifyJson(claims)).toString('base64url'), ''].join('.'),
      ];
      for (const token of forged) assert.equal(await statusWith(target, token), 401, token.slice(0, 40));
      assert.equal(await statusWith(target, good), 200, 'the one that the issuer signed is good');
      return forged.length;
    },
  },
  {
    title: 'somebody takes the token of one issuer for that of another, or a job signs in as a person',
    run: async (target) => {
      const { ci } = target;
      const good = await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE });
      const of = (await jsonWith(target, good)) as { user: unknown };
      assert.equal(of.user, 'ci:shop/orders');
      const people = (await readNames(target.stateDir))?.issuer;
      const confused: readonly (readonly [string, string])[] = [
        ['the people’s key under the name of the CI system', await signedToken(target, { ...JOB_CLAIMS, iss: ci.url, aud: CI_AUDIENCE })],
        [
          'the key of the CI system under the name of the people’s issuer',
          await ci.sign({ ...ADMIN_CLAIMS, iss: people, aud: target.origin }),
        ],
        ['a job’s token with the claims of an admin', await ci.sign({ ...ADMIN_CLAIMS, aud: CI_AUDIENCE })],
        ['a job’s token for the people’s audience', await ci.sign({ ...JOB_CLAIMS, aud: target.origin })],
        ['a person’s token for the job’s audience', await signedToken(target, { ...ADMIN_CLAIMS, aud: CI_AUDIENCE })],
        [
          'a project named like an account of the cluster',
          await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, project_path: 'system:admin' }),
        ],
        ['a project named like a branch of another one', await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, project_path: 'a:branch:main' })],
        ['a project named like all of a group', await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, project_path: 'shop/*' })],
        ['a branch that reads like another name', await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, ref: 'x:ci:other/project' })],
        ['an environment that reads like another name', await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, environment: 'a:branch:main' })],
        ['a job of no project', await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, project_path: '' })],
        [
          'the public key of the CI system as a shared secret',
          await byPublicKey(ci.key().jwk, { ...JOB_CLAIMS, iss: ci.url, aud: CI_AUDIENCE }),
        ],
      ];
      for (const [what, token] of confused) assert.equal(await statusWith(target, token), 401, what);
      const groups = await ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE, groups: ['platform'], ref: 'x-ci-other/project' });
      const named = ((await jsonWith(target, groups)) as { groups: readonly string[] }).groups;
      assert.ok(named.every((group) => group === 'chandlery:signed-in' || group.startsWith('ci:')));
      assert.ok(!named.includes('ci:other/project') && !named.includes('oidc:platform'));
      const browser = target.browser();
      browser.setCookie(cookieName(target), good);
      assert.equal((await browser.visit('/api/v1/me', { headers: { accept: 'application/json' } })).status, 401, 'as a session');
      return confused.length + 2;
    },
  },
  {
    title: 'somebody signs in under a name that reads like an admin’s, or in a group that reads like theirs',
    run: async (target) => {
      for (const name of NO_NAMES) {
        const token = await signedToken(target, { sub: 'x', preferred_username: name, groups: [] });
        assert.equal(await statusWith(target, token), 401, JSON.stringify(name));
      }
      const token = await signedToken(target, { sub: 'x', preferred_username: 'x', groups: NO_GROUP_NAMES });
      assert.deepEqual(((await jsonWith(target, token)) as { groups: unknown }).groups, NO_GROUPS);
      const reserved = await signedToken(target, { sub: 'x', preferred_username: 'x', groups: ['system:masters'] });
      assert.equal(await statusWith(target, reserved), 401);
      return NO_NAMES.length + NO_GROUP_NAMES.length + 1;
    },
  },
  {
    title: 'somebody finds the address of a sign-out, or reads the store',
    run: async (target) => {
      const { browser, secret } = await signedInAs(target, 'dev-a');
      const store = await readFile(join(target.stateDir, 'store.json'), 'utf8');
      assert.ok(!store.includes(secret) && !store.includes('"idToken"'), 'the store holds what signs somebody in');
      const out = await browser.visit('/logout', { method: 'POST', redirects: 'stop' });
      const address = out.headers.get('location') ?? '';
      assert.match(address, /client_id=chandlery/);
      assert.doesNotMatch(address, /id_token_hint|eyJ/);
      return 2;
    },
  },
  {
    title: 'somebody keeps the cookie of a session that was signed out, or plants one before the sign-in',
    run: async (target) => {
      const victim = await signedInAs(target, 'dev-a');
      await victim.browser.submit('/logout', {});
      victim.browser.setCookie(cookieName(target), victim.secret);
      assert.equal((await victim.browser.visit('/api/v1/me')).status, 401, 'the old cookie');
      const planted = target.browser();
      planted.setCookie(cookieName(target), 'planted-by-the-attacker');
      await planted.signIn('dev-a');
      assert.notEqual(planted.cookie(cookieName(target)), 'planted-by-the-attacker');
      const attacker = target.browser();
      attacker.setCookie(cookieName(target), 'planted-by-the-attacker');
      assert.equal((await attacker.visit('/api/v1/me')).status, 401, 'the planted cookie');
      return 2;
    },
  },
  {
    title: 'somebody uses the answer of a sign-in twice, or in another browser',
    run: async (target) => {
      const browser = target.browser();
      const choice = await browser.visit('/login');
      const answer = await browser.submit(choice.url, { person: 'dev-a' });
      const callback = answer.hops.find(({ pathname }) => pathname === '/auth/callback');
      assert.ok(callback);
      for (const again of [browser, target.browser()]) assert.equal((await again.visit(callback)).status, 401);
      return 2;
    },
  },
  {
    title: 'somebody sends logout tokens that are none, or sends one again',
    run: async (target) => {
      const { browser } = await signedInAs(target, 'dev-a');
      const token = async (change: Claims, typ = 'logout+jwt'): Promise<string> =>
        await signedToken(target, { aud: 'chandlery', sub: 'dev-a', events: LOGOUT, ...change }, { typ });
      const powerless = [
        await token({ jti: undefined }),
        await token({ iat: undefined }),
        await token({ nonce: 'n' }),
        await token({ events: {} }),
        await token({ aud: 'other' }),
        await token({ sub: undefined }),
        await token({ sid: 'of-another-session' }),
        await token(inTenMinutes()),
        await token({ iat: nowSeconds() - 3600 }),
        await token({}, 'at+jwt'),
        await target.token('developer'),
      ];
      for (const text of powerless) await sendLogout(target, text);
      assert.equal((await browser.visit('/api/v1/me')).status, 200, 'still signed in');
      const good = await token({});
      assert.equal(await sendLogout(target, good), 200);
      assert.equal((await browser.visit('/api/v1/me')).status, 401, 'a good one ends the session');
      const later = await signedInAs(target, 'dev-a');
      assert.equal(await sendLogout(target, good), 400);
      assert.equal((await later.browser.visit('/api/v1/me')).status, 200, 'and no later one');
      return powerless.length + 1;
    },
  },
];

/** What a verifier accepts that takes the algorithm from the token. */
async function byPublicKey(key: JWK, claims: object): Promise<string> {
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const token = new SignJWT({ exp: nowSeconds() + 60, ...claims }).setProtectedHeader({ alg: 'HS256', kid: key.kid ?? '' });
  return await token.sign(Buffer.from(pem));
}

function cookieName({ origin }: Target): string {
  return `chandlery-${new URL(origin).port}`;
}

async function signedInAs(target: Target, person: 'dev-a'): Promise<{ readonly browser: CookieBrowser; readonly secret: string }> {
  const browser = target.browser();
  await browser.signIn(person);
  const secret = browser.cookie(cookieName(target));
  assert.ok(secret, `${person} is signed in`);
  return { browser, secret };
}

async function statusWith({ origin }: Target, token: string): Promise<number> {
  return (await fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
}

async function jsonWith({ origin }: Target, token: string): Promise<unknown> {
  return await (await fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).json();
}

async function sendLogout({ origin }: Target, token: string): Promise<number> {
  return (await fetch(`${origin}/auth/backchannel-logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) })).status;
}
