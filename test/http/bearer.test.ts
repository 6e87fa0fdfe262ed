import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { generateKeyPair, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import { type House, openHouse } from './support/house.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const soon = (): number => now() + 600;

describe('a bearer token', () => {
  let house: House;
  before(async () => {
    house = await openHouse({ settings: { bearerClients: ['kubelogin'] } });
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
    ['from an issuer whose clock is twenty seconds ahead', () => sign({ iat: now() + 20, nbf: now() + 20 })],
    ['from an issuer whose clock is twenty seconds behind', () => sign({ iat: now() - 80, exp: now() - 20 })],
    ['one of several audiences', () => sign({ aud: ['https://elsewhere.example', house.origin] })],
    [
      'an id token of a sign-in at another client that we trust',
      () => sign({ aud: ['chandlery'], azp: 'kubelogin', nonce: 'n', sid: 's' }),
    ],
    ['an access token of our own client', () => sign({ azp: 'chandlery', sid: 's' }, { typ: 'application/at+jwt' })],
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
    ['not valid yet', () => sign({ nbf: soon() }), /not valid yet/],
    ['issued ten minutes from now', () => sign({ iat: soon(), exp: soon() + 60 }), /issued in the future/],
    ['the id token of a sign-in', () => sign({ aud: 'chandlery', nonce: 'n' }), /ID token of a sign-in/],
    ['the id token of a renewal', () => sign({ aud: ['chandlery'], at_hash: 'h' }), /ID token of a sign-in/],
    ['an id token of our client beside another audience', () => sign({ aud: ['chandlery', 'x'], sid: 's' }), /ID token of a sign-in/],
    [
      'the id token of a sign-in that names our client',
      () => sign({ aud: 'chandlery', azp: 'chandlery', nonce: 'n' }),
      /ID token of a sign-in/,
    ],
    ['issued to our client, of no type', () => sign({ azp: 'chandlery' }), /issued to the client "chandlery"/],
    ['issued to another client', () => sign({ azp: 'evil' }), /issued to the client "evil".*--bearer-client/],
    ['an access token issued to another client', () => sign({ azp: 'evil' }, { typ: 'at+jwt' }), /issued to the client "evil"/],
    ['issued to several clients', () => sign({ azp: ['kubelogin'] }), /"azp" is not a name/],
    ['bound to a key', () => sign({ cnf: { jkt: 'thumbprint' } }), /bound to a key/],
    ['a logout token by its type', () => sign({}, { typ: 'logout+jwt' }), /another purpose/],
    ['for a name that ends with a space', () => sign({ sub: 'dev-a ' }), /begins or ends with a space/],
    ['for a name with a Cyrillic letter', () => sign({ sub: 'dev-\u0430' }), /printable ASCII/],
    ['for a name with a line break', () => sign({ sub: 'dev-a\nImpersonate-Group: x' }), /printable ASCII/],
    ['for a name without end', () => sign({ sub: 'd'.repeat(257) }), /at most 256/],
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
    it(`is rejected: ${what}`, async () => {
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

  it('with groups that a header would change acts without them', async () => {
    const answer = await ask(`Bearer ${await sign({ groups: ['platform ', ' platform', 'plat\u0000form', 'pl\u0430tform', 'team-a'] })}`);
    const { actor } = (await answer.json()) as { actor: { groups: string[] } };
    assert.deepEqual(actor.groups, ['chandlery:signed-in', 'oidc:team-a']);
  });

  it('shows the name of a person without characters that turn or hide text', async () => {
    const answer = await ask(`Bearer ${await sign({ name: ` A\u202eda\u0007\u200b${'a'.repeat(5000)}` })}`);
    const { person } = (await answer.json()) as { person: { name: string } };
    assert.equal(person.name, `Ada${'a'.repeat(97)}`);
  });

  it('without groups still acts as somebody in a group', async () => {
    const answer = await ask(`Bearer ${await sign({ groups: undefined })}`);
    const { actor } = (await answer.json()) as { actor: { groups: string[] } };
    assert.deepEqual(actor.groups, ['chandlery:signed-in']);
  });
});
