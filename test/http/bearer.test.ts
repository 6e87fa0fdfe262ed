import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { generateKeyPair, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import { type House, openHouse } from './support/house.ts';

describe('a bearer token', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  const signingKey = async () => {
    const secrets = await readSecrets(house.stateDir);
    assert.ok(secrets);
    return secrets.signingKey;
  };
  const claims = (): JWTPayload => {
    const now = Math.floor(Date.now() / 1000);
    return { sub: 'dev-a', groups: ['team-a'], iss: house.issuer.issuerUrl.href, aud: house.origin, iat: now, exp: now + 60 };
  };
  const sign = async (change: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> => {
    const key = await signingKey();
    return new SignJWT({ ...claims(), ...change })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '', ...header })
      .sign(await importJWK(key, 'RS256'));
  };
  const ask = (authorization: string): Promise<Response> => fetch(`${house.origin}/api/v1/me`, { headers: { authorization } });

  const GOOD: readonly [string, () => Promise<string>][] = [
    ['minted for a demo person', () => house.issuer.mintToken('dev-a')],
    ['an access token for our API', () => sign({})],
    ['an id token for our client, as a CI job gets one', () => sign({ aud: 'chandlery' })],
    ['one of several audiences', () => sign({ aud: ['https://elsewhere.example', house.origin] })],
  ];
  for (const [what, token] of GOOD) {
    it(`is accepted: ${what}`, async () => {
      const answer = await ask(`Bearer ${await token()}`);
      assert.equal(answer.status, 200);
      const { actor } = (await answer.json()) as { actor: unknown };
      assert.deepEqual(actor, { user: 'oidc:dev-a', groups: ['chandlery:signed-in', 'oidc:team-a'] });
    });
  }

  const byPublicKey = async (): Promise<string> => {
    const key = await signingKey();
    const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: key.kid ?? '' }).sign(Buffer.from(pem));
  };
  const byStranger = async (): Promise<string> => {
    const { privateKey } = await generateKeyPair('RS256');
    return new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: (await signingKey()).kid ?? '' }).sign(privateKey);
  };
  const tampered = async (): Promise<string> => {
    const [header, , signature] = (await sign({})).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims(), sub: 'admin', groups: ['platform'] })).toString('base64url');
    return [header, payload, signature].join('.');
  };

  const BAD: readonly [string, () => Promise<string>, RegExp][] = [
    ['expired', () => sign({ exp: Math.floor(Date.now() / 1000) - 60 }), /it has expired/],
    ['without an end', () => sign({ exp: undefined as never }), /claim "exp" is missing/],
    ['not valid yet', () => sign({ nbf: Math.floor(Date.now() / 1000) + 600 }), /not valid yet/],
    ['for another audience', () => sign({ aud: 'https://elsewhere.example' }), /another audience/],
    ['of another issuer', () => sign({ iss: 'https://elsewhere.example' }), /another issuer/],
    ['without a subject', () => sign({ sub: undefined as never }), /claim "sub" is missing/],
    ['unsigned (alg none)', async () => new UnsecuredJWT(claims()).encode(), /not accept|not a signed JWT/],
    ['signed with our public key as a shared secret', byPublicKey, /not accept/],
    ['signed by a stranger under our key id', byStranger, /signature is wrong/],
    ['with a key id that nobody knows', () => sign({}, { kid: 'unknown' }), /no key of the identity provider/],
    ['changed after it was signed', tampered, /signature is wrong/],
    ['garbage', () => Promise.resolve('garbage'), /not a signed JWT/],
    ['garbage in three parts', () => Promise.resolve('a.b.c'), /not a signed JWT/],
    ['for a user of the cluster', () => sign({ sub: 'system:admin' }), /reserved for the cluster/],
    ['with a group of the cluster', () => sign({ groups: ['system:masters'] }), /reserved for the cluster/],
    ['with groups that are no list', () => sign({ groups: { a: 1 } }), /not a list of names/],
  ];
  for (const [what, token, why] of BAD) {
    it(`is refused: ${what}`, async () => {
      const answer = await ask(`Bearer ${await token()}`);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="chandlery", error="invalid_token"');
      const problem = (await answer.json()) as { code: string; detail: string };
      assert.equal(problem.code, 'Unauthenticated');
      assert.match(problem.detail, why);
    });
  }

  for (const header of ['Basic YWRtaW46YWRtaW4=', 'Bearer', 'Bearer a b', 'Token abc']) {
    it(`is asked for when the header is ${JSON.stringify(header)}`, async () => {
      const answer = await ask(header);
      assert.equal(answer.status, 401);
      assert.match(((await answer.json()) as { detail: string }).detail, /must be "Bearer" and a token/);
    });
  }

  it('without groups still acts as somebody in a group', async () => {
    const answer = await ask(`Bearer ${await sign({ groups: undefined })}`);
    const { actor } = (await answer.json()) as { actor: { groups: string[] } };
    assert.deepEqual(actor.groups, ['chandlery:signed-in']);
  });
});
