import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Provider } from 'oidc-provider';
import { parseAuthenticationConfiguration } from '../../src/identity/claims/authentication-configuration.ts';
import { createClaimMapper } from '../../src/identity/claims/claim-mapper.ts';
import { type House, openHouse } from './support/house.ts';

/** What a provider that nobody planned for says of a person: nothing in the ID token, odd shapes in userinfo. */
const USERINFO = {
  email: 'Ada@Example.com',
  email_verified: false,
  teams: [
    { name: 'platform', id: 7 },
    { name: 'ops', id: 8 },
  ],
  realm_access: { roles: ['catalogue-admin', 'offline_access'] },
};

const CONFIGURATION = (url: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer: { url: '${url}', audiences: [chandlery] }
    claimMappings:
      username:
        expression: "'odd:' + claims.email.lowerAscii()"
      groups:
        expression: >-
          claims.teams.map(team, 'odd:' + team.name) +
          claims.?realm_access.?roles.orValue([]).filter(role, role != 'offline_access').map(role, 'odd:role:' + role)
    claimValidationRules:
      - expression: claims.email_verified == false || claims.email_verified == true
        message: whether the address is verified is not known
`;

describe('a provider with claims of its own habits', () => {
  let server: Server;
  let house: House;
  let url: string;

  before(async () => {
    server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [entry] = parseAuthenticationConfiguration(CONFIGURATION(url), 'odd.yaml');
    assert.ok(entry);
    house = await openHouse({
      settings: {
        issuer: new URL(url),
        clientId: 'chandlery',
        clientSecret: 'secret of the client',
        scopes: ['openid', 'email', 'teams'],
        mapping: createClaimMapper(entry, 'odd.yaml: jwt[0]'),
        claimsFrom: 'userinfo',
      },
    });
    const provider = oddProvider(url, `${house.origin}/auth/callback`);
    server.on('request', provider.callback());
  });
  after(async () => {
    await house.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  it('signs people in by configuration alone: objects, nested lists, opaque access tokens, no refresh token, an address nobody verified', async () => {
    const browser = house.browser();
    const form = await browser.visit('/login?return=/apps');
    const consent = await browser.submit(form.url, { prompt: 'login', login: 'ada', password: 'x' });
    const back = await browser.submit(consent.url, { prompt: 'consent' });
    assert.equal(back.status, 200, back.text);
    assert.equal(new URL(back.url).pathname, '/apps');
    const me = await browser.visit('/api/v1/me', { headers: { accept: 'application/json' } });
    const { actor } = JSON.parse(me.text) as { actor: unknown };
    assert.deepEqual(actor, {
      user: 'odd:ada@example.com',
      groups: ['chandlery:signed-in', 'odd:ops', 'odd:platform', 'odd:role:catalogue-admin'],
    });
  });
});

function oddProvider(issuer: string, redirect: string): Provider {
  return new Provider(issuer, {
    clients: [
      { client_id: 'chandlery', client_secret: 'secret of the client', redirect_uris: [redirect], grant_types: ['authorization_code'] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], teams: ['teams', 'realm_access'] },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...USERINFO }) }),
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
  });
}
