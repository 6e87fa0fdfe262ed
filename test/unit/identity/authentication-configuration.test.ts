import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { AppError } from '../../../src/domain/core/errors.ts';
import { parseAuthenticationConfiguration } from '../../../src/identity/claims/authentication-configuration.ts';
import { checkSeparatePrefixes, createClaimMapper, type MappedUser } from '../../../src/identity/claims/claim-mapper.ts';
import { ciAuthenticator } from '../../../src/identity/claims/ci-presets.ts';
import { renderAuthentication } from '../../../src/identity/claims/render-authentication.ts';

const ISSUER = { url: 'https://login.example.com', audiences: ['chandlery'] };
const USERNAME = { claim: 'sub', prefix: 'oidc:' };

/** The only entry of a file with this content. */
const entryOf = (jwt: object, source = 'auth.yaml') => {
  const text = stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt] });
  const [entry] = parseAuthenticationConfiguration(text, source);
  assert.ok(entry);
  return entry;
};
const mapperOf = (jwt: object) => createClaimMapper(entryOf({ issuer: ISSUER, ...jwt }), 'auth.yaml: jwt[0]');
const mapped = (jwt: object, claims: Readonly<Record<string, unknown>>): Omit<MappedUser, 'plainName'> => {
  const { plainName: _, ...user } = mapperOf(jwt).map(claims);
  return user;
};
const says = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError);
  assert.match(error.message, message);
  return true;
};

describe('an AuthenticationConfiguration', () => {
  it('maps claims as the api-server does', () => {
    const user = mapped(
      {
        claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }, { expression: 'claims.email_verified' }],
        claimMappings: {
          username: { expression: "'corp:' + claims.email.lowerAscii()" },
          groups: { expression: "claims.?realm_access.?roles.orValue([]).filter(r, r.matches('^team-')).map(r, 'corp:' + r)" },
          uid: { claim: 'sub' },
          extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
        },
        userValidationRules: [{ expression: "user.username != 'corp:nobody' && user.groups.all(g, g.startsWith('corp:'))" }],
      },
      {
        sub: '1',
        hd: 'example.com',
        email: 'Ada@Example.com',
        email_verified: true,
        tenant: 't',
        realm_access: { roles: ['team-a', 'x'] },
      },
    );
    const extra = { 'example.com/tenant': ['t'] };
    assert.deepEqual(user, { username: 'corp:ada@example.com', groups: ['corp:team-a'], uid: '1', extra });
  });

  it('reads groups that are objects, one name, or nothing', () => {
    const groups = { expression: "claims.groups.map(g, 'oidc:' + g.name)" };
    assert.deepEqual(mapped({ claimMappings: { username: USERNAME, groups } }, { sub: 'a', groups: [{ name: 'x' }] }).groups, ['oidc:x']);
    const one = { expression: "has(claims.team) ? 'oidc:' + claims.team : ''" };
    assert.deepEqual(mapped({ claimMappings: { username: USERNAME, groups: one } }, { sub: 'a', team: 'x' }).groups, ['oidc:x']);
    assert.deepEqual(mapped({ claimMappings: { username: USERNAME, groups: one } }, { sub: 'a' }).groups, []);
    assert.deepEqual(mapped({ claimMappings: { username: USERNAME } }, { sub: 'a', groups: ['x'] }).groups, []);
  });

  const REJECTED: readonly [string, object, Readonly<Record<string, unknown>>, RegExp][] = [
    ['a claim with another value', { claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] }, { hd: 'y' }, /claim "hd" is not "x"/],
    [
      'a rule that does not hold',
      { claimValidationRules: [{ expression: 'claims.a == 1', message: 'a is not 1' }] },
      { a: 2 },
      /a is not 1/,
    ],
    ['a rule about a claim that is missing', { claimValidationRules: [{ expression: 'claims.a == 1' }] }, {}, /cannot be evaluated/],
    ['a user that breaks a rule', { userValidationRules: [{ expression: "user.username != 'oidc:a'", message: 'no a' }] }, {}, /no a/],
    [
      'a name of the cluster behind a prefix',
      { claimMappings: { username: { expression: "'oidc:' + claims.name" } } },
      { name: 'system:admin' },
      /"system:admin" is reserved/,
    ],
    [
      'a name without anything behind its prefix',
      { claimMappings: { username: { expression: "'oidc:' + claims.name" } } },
      { name: '' },
      /names nobody/,
    ],
    [
      'a group of the cluster behind a prefix',
      { claimMappings: { username: USERNAME, groups: { expression: "claims.g.map(g, 'oidc:' + g)" } } },
      { g: ['System:masters'] },
      /"System:masters" is reserved/,
    ],
    [
      'a list without end',
      { claimMappings: { username: USERNAME, groups: { expression: "claims.g.map(g, 'oidc:' + g)" } } },
      { g: Array.from({ length: 501 }, String) },
      /longer than the 500/,
    ],
  ];
  for (const [what, jwt, claims, why] of REJECTED) {
    it(`rejects ${what}`, () => {
      assert.throws(() => mapped({ claimMappings: { username: USERNAME }, ...jwt }, { sub: 'a', ...claims }), says(why));
    });
  }

  const names = (username: string, groups?: string): object => ({
    issuer: ISSUER,
    claimMappings: { username: { expression: username }, ...(groups === undefined ? {} : { groups: { expression: groups } }) },
  });
  const BAD: readonly [string, object, RegExp][] = [
    ['an unknown field', { issuer: ISSUER, claimMapping: {} }, /jwt\[0\]\.claimMapping: it is not a field/],
    [
      'no audience',
      { issuer: { url: ISSUER.url }, claimMappings: { username: USERNAME } },
      /jwt\[0\]\.issuer\.audiences: name at least one/,
    ],
    [
      'two audiences without a policy',
      { issuer: { ...ISSUER, audiences: ['a', 'b'] } },
      /issuer\.audienceMatchPolicy: it must be MatchAny/,
    ],
    ['plain http', { issuer: { ...ISSUER, url: 'http://login.example.com' } }, /issuer\.url: .* is not an https address/],
    [
      'a claim beside an expression',
      { issuer: ISSUER, claimMappings: { username: { claim: 'sub', expression: 'x' } } },
      /username\.claim: it cannot stand/,
    ],
    ['no prefix', { issuer: ISSUER, claimMappings: { username: { claim: 'sub', prefix: '' } } }, /username\.prefix: it is empty/],
    [
      'a prefix of the cluster',
      { issuer: ISSUER, claimMappings: { username: { claim: 'sub', prefix: 'system:' } } },
      /username\.prefix: .*reserved/,
    ],
    ['names without a prefix', names('claims.sub'), /username\.expression: each name must begin with a prefix/],
    ['names of which some have no prefix', names("has(claims.x) ? 'oidc:' + claims.sub : claims.x"), /each name must begin with a prefix/],
    ['names with a prefix behind an empty text', names("'' + 'oidc:' + claims.sub"), /each name must begin with a prefix/],
    ['names of the cluster', names("'system:' + claims.sub"), /"system:" could make names/],
    ['names of ours', names("'chandlery:signed-in' + claims.sub"), /"chandlery:signed-in" could make names/],
    ['a list of user names', names("[ 'oidc:' + claims.sub ]"), /one name, not a list/],
    ['groups without a prefix', names("'oidc:' + claims.sub", 'claims.groups'), /groups\.expression: each name must begin/],
    ['groups of which some have none', names("'oidc:' + claims.sub", "claims.g.map(g, 'oidc:' + g) + claims.h"), /each name must begin/],
    ['an e-mail address that nobody verified', names("'oidc:' + claims.email"), /also read claims\.email_verified/],
    ['an expression that is none', names("'oidc:' + "), /username\.expression: the CEL expression does not compile/],
    [
      'lists in lists in lists',
      names("'oidc:' + claims.sub", "claims.a.map(a, 'o:' + string(a.all(b, b.all(c, c))))"),
      /more than 2 comprehensions/,
    ],
  ];
  for (const [what, jwt, why] of BAD) {
    it(`is not accepted with ${what}`, () => {
      assert.throws(() => createClaimMapper(entryOf(jwt), 'auth.yaml: jwt[0]'), says(why));
    });
  }

  it('is not accepted as another kind, or as no YAML', () => {
    assert.throws(() => parseAuthenticationConfiguration('kind: Config\napiVersion: v1\n', 'f'), says(/f: apiVersion: "v1" is not one of/));
    assert.throws(() => parseAuthenticationConfiguration('a: [', 'f'), says(/f: it is not YAML/));
  });

  it('matches patterns with an engine that does not backtrack: with one that does, this pattern would never end', () => {
    const jwt = { claimMappings: { username: USERNAME }, claimValidationRules: [{ expression: "!claims.x.matches('^(a+)+$')" }] };
    assert.equal(mapped(jwt, { sub: 'a', x: `${'a'.repeat(1000)}!` }).username, 'oidc:a');
  });

  it('keeps the names of two issuers apart', () => {
    const of = (url: string, prefix: string) => ({ url, mapping: mapperOf({ claimMappings: { username: { claim: 'sub', prefix } } }) });
    checkSeparatePrefixes([of('https://a', 'a:'), of('https://b', 'b:')]);
    assert.throws(
      () => checkSeparatePrefixes([of('https://a', 'a:'), of('https://b', 'a:b:')]),
      says(/https:\/\/a and https:\/\/b could both make users/),
    );
  });

  it('prints as one that it reads to the same users', () => {
    const entry = entryOf({
      issuer: { ...ISSUER, audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' },
      claimMappings: { username: USERNAME, groups: { expression: "claims.g.map(g, 'oidc:' + g)" }, uid: { claim: 'sub' } },
    });
    const text = renderAuthentication([entry]);
    const [again] = parseAuthenticationConfiguration(text, 'printed');
    assert.ok(again);
    const claims = { sub: 'a', g: ['x', 'y'] };
    assert.deepEqual(createClaimMapper(again, 'printed').map(claims), createClaimMapper(entry, 'given').map(claims));
    assert.deepEqual(parse(renderAuthentication([again])), parse(text));
  });
});

describe('the presets of CI issuers', () => {
  const userOf = (preset: 'gitlab' | 'github' | 'generic', claims: Readonly<Record<string, unknown>>): MappedUser =>
    createClaimMapper(ciAuthenticator({ preset, prefix: '', url: 'https://ci.example.com' }, ['x']), 'ci').map(claims);

  it('read a job of GitLab', () => {
    const { username, groups, uid } = userOf('gitlab', {
      project_path: 'shop/web/orders',
      namespace_path: 'shop/web',
      project_id: '22',
      ref: 'main',
      ref_type: 'branch',
      ref_protected: 'true',
      environment: 'production',
    });
    assert.deepEqual([username, uid], ['ci:shop/web/orders', '22']);
    assert.deepEqual(groups, [
      'ci:shop/web/orders',
      'ci:shop/*',
      'ci:shop/web/*',
      'ci:shop/web/orders:branch:main',
      'ci:shop/web/orders:protected',
      'ci:shop/web/orders:environment:production',
    ]);
  });

  it('read a job of GitHub Actions', () => {
    const claims = {
      repository: 'acme/orders',
      repository_owner: 'acme',
      repository_id: '74',
      ref: 'refs/tags/v1',
      sub: 'repo:acme/orders',
    };
    const { username, groups } = userOf('github', claims);
    assert.equal(username, 'ci:acme/orders');
    assert.deepEqual(groups, ['ci:acme/orders', 'ci:acme/*', 'ci:acme/orders:tag:v1']);
  });

  it('read a job of anything else by its subject', () => {
    assert.deepEqual(userOf('generic', { sub: 'builds/nightly' }).groups, ['ci:builds/nightly', 'ci:builds/*']);
  });

  it('keep the jobs of two systems apart by a prefix', () => {
    const entry = ciAuthenticator({ preset: 'github', prefix: 'github', url: 'https://ci.example.com' }, ['x']);
    const claims = { repository: 'acme/orders', repository_id: '74', ref: 'refs/pull/1/merge' };
    assert.deepEqual(createClaimMapper(entry, 'ci').map(claims).groups, ['github:ci:acme/orders', 'github:ci:acme/*']);
  });

  it('reject claims that would make the name of other jobs, and say which', () => {
    const ambiguous = [
      ['gitlab', { project_path: 'a/b:branch:main', project_id: '1' }, 'project'],
      ['gitlab', { project_path: 'a/*', project_id: '1' }, 'project'],
      ['gitlab', { project_path: 'a/b', project_id: '1', ref_type: 'branch', ref: 'x:environment:production' }, 'ref'],
      ['gitlab', { project_path: 'a/b', project_id: '1', environment: 'review:protected' }, 'environment'],
      ['github', { repository: 'a/b', repository_id: '1', ref: 'refs/heads/*' }, 'ref'],
      ['generic', { sub: 'organization:acme:pipeline:nightly' }, 'project'],
    ] as const;
    for (const [preset, claims, what] of ambiguous)
      assert.throws(
        () => userOf(preset, claims),
        says(new RegExp(`the ${what} of the CI job contains ":" or "\\*"`)),
        JSON.stringify(claims),
      );
  });

  it('reject a job without a project', () => assert.throws(() => userOf('gitlab', { sub: 'x' }), says(/cannot be evaluated/)));
});
