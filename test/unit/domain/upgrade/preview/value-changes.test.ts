import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { namesOf, valueChanges, type LayeredValues } from '../../../../../src/domain/upgrade/preview/value-changes.ts';

const OWN = { origin: 'spec.values', values: { image: { tag: 'mine' } } };
const SECRET = { origin: 'Secret db key p', values: { auth: { password: 'hunter22' } } };

function layered(chart: JsonObject): LayeredValues {
  return { layers: [{ origin: 'the chart', values: chart }, SECRET, OWN], hidden: new Set([SECRET.origin]), secrets: ['hunter22'] };
}

describe('how effective values change', () => {
  const from = layered({ replicas: 1, image: { tag: '1', name: 'x' }, old: true, 'a.b': 1 });
  const to = layered({ replicas: 2, image: { tag: '2', name: 'x' }, fresh: { deep: [1] }, 'a.b': 1, note: 'hunter22' });
  const { items } = valueChanges(from, to);
  const leaf = (path: string) => items.find((one) => one.path === path);

  it('is reported with the layer and both values', () => {
    assert.deepEqual(leaf('replicas'), { path: 'replicas', origin: 'the chart', change: 'changed', from: '1', to: '2', secret: false });
    assert.deepEqual(leaf('old'), { path: 'old', origin: 'the chart', change: 'removed', from: 'true', secret: false });
    assert.deepEqual(leaf('fresh.deep'), { path: 'fresh.deep', origin: 'the chart', change: 'added', to: '[1]', secret: false });
  });

  it('is nothing where a layer above the chart decides', () => {
    assert.deepEqual(leaf('image.tag'), {
      path: 'image.tag',
      origin: 'spec.values',
      change: 'same',
      from: '"mine"',
      to: '"mine"',
      secret: false,
    });
  });

  it('reads names with dots', () => {
    assert.equal(leaf('["a.b"]')?.to, '1');
    assert.deepEqual(namesOf('a.b["c.d\\"e"].f'), ['a', 'b', 'c.d"e', 'f']);
  });

  it('shows of a secret only its layer, and the secret nowhere', () => {
    assert.deepEqual(leaf('auth.password'), { path: 'auth.password', origin: SECRET.origin, change: 'same', secret: true });
    assert.equal(leaf('note')?.to, '"[secret]"');
    assert.doesNotMatch(stringifyJson(items), /hunter22/);
  });

  it('comes before what stays', () => {
    const ranks = items.map(({ change }) => (change === 'same' ? 1 : 0));
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => a - b),
    );
  });

  it('is cut with a count', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
    const { items: shown, omitted } = valueChanges(undefined, layered(many));
    assert.deepEqual([shown.length, omitted], [400, 102]);
  });
});
