import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { allowsName, grantFaults, type RegistrationGrant, registeredSpec } from '../../../src/domain/access-token/registration.ts';
import { isAccessToken, newTokenText, tokenDigest, withoutTokens } from '../../../src/domain/access-token/token-text.ts';
import { limitReason, type AccessLimits } from '../../../src/domain/kubernetes/access-limits.ts';
import { runs } from '../../support/runs.ts';

describe('the text of a personal access token', () => {
  it('has a prefix, 238 random bits and a checksum, and is in no log', () => {
    const text = newTokenText();
    assert.match(text, /^chp_[0-9A-Za-z]{46}$/);
    assert.match(tokenDigest(text) ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(tokenDigest(text), tokenDigest(newTokenText()));
    assert.equal(withoutTokens(`/api/v1/me/${text}/x`), '/api/v1/me/[personal access token]/x');
  });

  it('is none when it is cut short, or any letter of it is another one', () => {
    const text = newTokenText();
    for (let length = 0; length < text.length; length += 1) assert.equal(tokenDigest(text.slice(0, length)), undefined);
    const letter = fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz -_/\n\u0000'));
    const changed = fc.tuple(fc.nat(text.length - 1), letter).filter(([at, other]) => text[at] !== other);
    fc.assert(
      fc.property(changed, ([at, other]) => tokenDigest(text.slice(0, at) + other + text.slice(at + 1)) === undefined),
      { numRuns: runs(500) },
    );
    for (const wrong of [text.toUpperCase(), text.toLowerCase(), `${text}0`, ` ${text}`, `${text}\n`, 'chp_', ''])
      assert.equal(tokenDigest(wrong), undefined, wrong);
    for (const other of ['CHP_x', 'Chp_', text.toUpperCase()]) assert.ok(isAccessToken(other), other);
    assert.ok(!isAccessToken('eyJhbGciOi'));
  });
});

describe('the limits of a personal access token', () => {
  const limits = (change: Partial<AccessLimits>): AccessLimits => ({ id: 'i', name: 'n', scope: 'write', ...change });
  const caches = { group: 'samples.chandlery.dev', resource: 'caches' };
  const shop = { environments: [{ name: 'shop', namespace: 'shop-ns' }] };

  it('let a token with the scope read do nothing but read', () => {
    for (const verb of ['get', 'list', 'watch']) assert.equal(limitReason(limits({ scope: 'read' }), { verb, ...caches }), undefined);
    for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection', 'approve', 'impersonate', '*', ''])
      assert.match(limitReason(limits({ scope: 'read' }), { verb, ...caches }) ?? '', /scope read/, verb);
    assert.equal(limitReason(limits({}), { verb: 'delete', ...caches }), undefined);
  });

  it('let a token of some environments reach their namespaces and nothing else of the cluster', () => {
    const namespaces = fc.oneof(fc.constantFrom('shop', 'shop-ns2', '', 'SHOP-NS', 'kube-system'), fc.string());
    const verbs = fc.constantFrom('get', 'list', 'watch', 'create', 'delete');
    const resources = fc.constantFrom('caches', 'secrets', 'environments', 'namespaces', 'operators', 'auditevents');
    fc.assert(
      fc.property(verbs, resources, fc.option(namespaces, { nil: undefined }), (verb, resource, namespace) => {
        if (namespace === 'shop-ns') return true;
        const call = { verb, group: 'chandlery.dev', resource, ...(namespace === undefined ? {} : { namespace }), name: 'other' };
        return limitReason(limits(shop), call) !== undefined;
      }),
    );
    assert.equal(limitReason(limits(shop), { verb: 'delete', ...caches, namespace: 'shop-ns' }), undefined);
    const environment = { group: 'chandlery.dev', resource: 'environments', name: 'shop' };
    assert.equal(limitReason(limits(shop), { verb: 'get', ...environment }), undefined);
    assert.notEqual(limitReason(limits(shop), { verb: 'update', ...environment }), undefined, 'not even its own Environment');
    assert.notEqual(limitReason(limits(shop), { verb: 'list', ...caches }), undefined, 'no list over all namespaces');
  });
});

describe('a registration token', () => {
  const grant: RegistrationGrant = {
    names: 'team-x-*',
    uses: 1,
    projects: [{ name: 'team-x/*', role: 'viewer', prefix: 'github:' }, { name: 'shared/tools' }],
    spec: { tier: 'testing', owner: 'team-x' },
  };

  it('creates Environments of its names and does nothing else, whatever its user may', () => {
    const limits: AccessLimits = { id: 'i', name: 'n', scope: 'write', registration: grant };
    const environments = { group: 'chandlery.dev', resource: 'environments' };
    assert.equal(limitReason(limits, { verb: 'create', ...environments, name: 'team-x-shop' }), undefined);
    const word = fc.oneof(
      fc.constantFrom('create', 'get', 'environments', 'environments/status', 'chandlery.dev', 'team-x-shop', 'x'),
      fc.string(),
    );
    fc.assert(
      fc.property(word, word, word, fc.option(word, { nil: undefined }), (verb, group, resource, name) => {
        const isOne = verb === 'create' && group === 'chandlery.dev' && resource === 'environments' && name === 'team-x-shop';
        return isOne || limitReason(limits, { verb, group, resource, ...(name === undefined ? {} : { name }) }) !== undefined;
      }),
    );
  });

  it('is for one name or one pattern', () => {
    const names = fc.stringMatching(/^[a-z0-9-]{0,12}$/);
    fc.assert(fc.property(names, names, names, (start, middle, end) => allowsName({ names: `${start}*${end}` }, start + middle + end)));
    fc.assert(fc.property(names, names, (pattern, name) => allowsName({ names: pattern }, name) === (pattern === name)));
    for (const name of ['team-x', 'team-x', 'a-team-x-1', 'TEAM-X-1', '']) assert.ok(!allowsName(grant, name), name);
    assert.ok(!allowsName({ names: 'ab*ba' }, 'aba'), 'what begins and ends it does not overlap');
    for (const pattern of ['', '**', 'a*b*', 'Team-*', 'a b', 'a.b', 'x'.repeat(64), '../*'])
      assert.deepEqual(
        grantFaults({ ...grant, names: pattern }).map(({ field }) => field),
        ['names'],
        pattern,
      );
    assert.deepEqual(
      grantFaults({ ...grant, uses: 0, spec: { namespace: 'kube-system', projects: [] } }).map(({ field }) => field),
      ['uses', 'spec', 'spec'],
    );
  });

  it('sets all of the spec but what it leaves open, and the role of each project', () => {
    const projects = [{ name: 'team-x/shop', branch: 'main' }, { name: 'shared/tools' }];
    assert.deepEqual(registeredSpec(grant, { name: 'team-x-1', contact: 'x@example.com', projects }), {
      spec: {
        tier: 'testing',
        owner: 'team-x',
        contact: 'x@example.com',
        projects: [{ name: 'team-x/shop', role: 'viewer', prefix: 'github:', branch: 'main' }, { name: 'shared/tools' }],
      },
    });
    const wrong = registeredSpec(grant, {
      name: 'team-y-1',
      owner: 'me',
      projects: [{ name: 'team-xy/shop' }, { name: 'shared/tools/x' }],
    });
    assert.deepEqual('faults' in wrong && wrong.faults.map(({ field }) => field), [
      'name',
      'owner',
      'projects[0].name',
      'projects[1].name',
    ]);
  });
});
