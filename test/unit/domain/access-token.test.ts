import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { isAccessToken, newTokenText, tokenDigest, withoutTokens } from '../../../src/domain/access-token/token-text.ts';
import { limitReason, type AccessLimits } from '../../../src/domain/kubernetes/access-limits.ts';

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
      { numRuns: 500 },
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
