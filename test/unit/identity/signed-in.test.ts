import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, type ErrorCode } from '../../../src/domain/core/errors.ts';
import { createClaimMapper } from '../../../src/identity/claims/claim-mapper.ts';
import { authenticatorOf, DEFAULT_CLAIMS } from '../../../src/identity/identity-settings.ts';
import { signedInOfClaims } from '../../../src/identity/signed-in.ts';

const rejected = (code: ErrorCode, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

const issuer = { url: 'https://login.example.com', audiences: ['chandlery'] };

describe('claims', () => {
  const actorOf = (claims: Readonly<Record<string, unknown>>, mapping = {}) =>
    signedInOfClaims(claims, createClaimMapper(authenticatorOf(issuer, { ...DEFAULT_CLAIMS, ...mapping }), 'issuer')).actor;

  it('become a user and groups with prefixes, sorted and each once', () => {
    assert.deepEqual(actorOf({ sub: 'u1', groups: ['b', 'a', 'b'] }), {
      user: 'oidc:u1',
      groups: ['chandlery:signed-in', 'oidc:a', 'oidc:b'],
    });
  });

  it('without groups still give the group of everybody, because no call leaves without one', () => {
    assert.deepEqual(actorOf({ sub: 'u1' }).groups, ['chandlery:signed-in']);
  });

  it('cannot give the group of everybody by another road', () => {
    assert.deepEqual(actorOf({ sub: 'u1', groups: ['chandlery:signed-in'] }).groups, ['chandlery:signed-in', 'oidc:chandlery:signed-in']);
  });

  it('may name one group as a text', () => assert.deepEqual(actorOf({ sub: 'u1', groups: 'a' }).groups, ['chandlery:signed-in', 'oidc:a']));

  it('may be called otherwise by the issuer', () => {
    const mapping = { usernameClaim: 'upn', groupsClaim: 'https://example.com/roles', usernamePrefix: 'corp#', groupsPrefix: 'corp/' };
    const actor = actorOf({ sub: 'x', upn: 'u1', 'https://example.com/roles': ['a'] }, mapping);
    assert.deepEqual(actor, { user: 'corp#u1', groups: ['chandlery:signed-in', 'corp/a'] });
  });

  it('lose groups that no header can carry, and keep the others', () => {
    assert.deepEqual(actorOf({ sub: 'u1', groups: ['Büro', 'a', '', ' ', 'line\nbreak', 'x'.repeat(300)] }).groups, [
      'chandlery:signed-in',
      'oidc:a',
    ]);
  });

  const email = { usernameClaim: 'email' };
  it('name somebody by an e-mail address only when the issuer has verified it', () => {
    assert.equal(actorOf({ email: 'a@b.example', email_verified: true }, email).user, 'oidc:a@b.example');
    assert.throws(() => actorOf({ email: 'a@b.example' }, email), rejected('Unauthenticated', /has not verified/));
    assert.throws(() => actorOf({ email: 'a@b.example', email_verified: 'true' }, email), rejected('Unauthenticated', /has not verified/));
  });

  const REJECTED: readonly [string, Readonly<Record<string, unknown>>, RegExp][] = [
    ['no name', {}, /claim "sub" names nobody/],
    ['an empty name', { sub: ' ' }, /names nobody/],
    ['a name that is a number', { sub: 5 }, /names nobody/],
    ['a name of the cluster', { sub: 'system:admin' }, /"system:admin" is reserved/],
    ['a name of the cluster in capitals', { sub: 'System:admin' }, /is reserved/],
    ['a group of the cluster', { sub: 'u1', groups: ['a', 'system:masters'] }, /"system:masters" is reserved/],
    ['a name with a line break', { sub: 'u1\r\nImpersonate-User: admin' }, /printable ASCII/],
    ['a name that is too long', { sub: 'x'.repeat(300) }, /at most 256/],
    ['too many groups', { sub: 'u1', groups: Array.from({ length: 501 }, (_, index) => `g${index}`) }, /501 groups are more than the 500/],
    ['groups that are no names', { sub: 'u1', groups: ['a', 5] }, /not a list of names/],
  ];
  for (const [what, claims, why] of REJECTED) {
    it(`are rejected when they hold ${what}`, () => assert.throws(() => actorOf(claims), rejected('Unauthenticated', why)));
  }

  it('tell how somebody is called, best name first', () => {
    const nameOf = (claims: object): string =>
      signedInOfClaims({ sub: 'u1', ...claims }, createClaimMapper(authenticatorOf(issuer, DEFAULT_CLAIMS), 'issuer')).person.name;
    assert.equal(nameOf({ name: 'Asha Rao', preferred_username: 'asha' }), 'Asha Rao');
    assert.equal(nameOf({ name: '', preferred_username: 'asha' }), 'asha');
    assert.equal(nameOf({}), 'u1');
  });
});

describe('a prefix', () => {
  for (const text of ['', 'system:', 'system:oidc:', 'sys', 's', 'chandlery:', 'chandlery:x', 'a b', 'ö:', 'x'.repeat(65)]) {
    it(`is rejected: ${JSON.stringify(text)}`, () => {
      const entry = authenticatorOf(issuer, { ...DEFAULT_CLAIMS, groupsPrefix: text });
      assert.throws(() => createClaimMapper(entry, 'issuer'), rejected('ConfigInvalid', /^issuer\.claimMappings\.groups\.prefix: /));
    });
  }
});
