import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { mergeLayers, placeAt, provenanceOf, textsIn } from '../../../../src/domain/values/layers.ts';

describe('values laid over one another', () => {
  const cases: readonly { title: string; layers: readonly JsonObject[]; values: JsonObject; from: Readonly<Record<string, number>> }[] = [
    { title: 'are those of the only layer', layers: [{ a: 1 }], values: { a: 1 }, from: { a: 0 } },
    {
      title: 'keep members of maps below',
      layers: [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }],
      values: { a: { b: 3, c: 2 } },
      from: { 'a.b': 1, 'a.c': 0 },
    },
    { title: 'replace lists as a whole', layers: [{ a: [1, 2] }, { a: [3] }], values: { a: [3] }, from: { a: 1 } },
    { title: 'replace a map by a text', layers: [{ a: { b: 1 } }, { a: 'x' }], values: { a: 'x' }, from: { a: 1 } },
    { title: 'replace a text by a map', layers: [{ a: 'x' }, { a: { b: 1 } }], values: { a: { b: 1 } }, from: { 'a.b': 1 } },
    {
      title: 'keep null, which takes a default of the chart away',
      layers: [{ a: { b: 1 } }, { a: null }],
      values: { a: null },
      from: { a: 1 },
    },
    { title: 'take nothing away by an empty map', layers: [{ a: { b: 1 } }, { a: {} }], values: { a: { b: 1 } }, from: { 'a.b': 0 } },
    { title: 'know an empty map as a value', layers: [{ a: {} }], values: { a: {} }, from: { a: 0 } },
    { title: 'quote names with dots', layers: [{ a: { 'b.c': 1 } }], values: { a: { 'b.c': 1 } }, from: { 'a["b.c"]': 0 } },
    {
      title: 'do not confuse names that begin alike',
      layers: [{ ab: 1, a: { x: 1 } }, { a: 2 }],
      values: { ab: 1, a: 2 },
      from: { ab: 0, a: 1 },
    },
    { title: 'take the last of three', layers: [{ a: 1 }, { a: 2 }, { a: 3 }], values: { a: 3 }, from: { a: 2 } },
    {
      title: 'hold a name that JavaScript knows',
      layers: [{ ['__proto__']: { a: 1 } }, { b: 1 }],
      values: { ['__proto__']: { a: 1 }, b: 1 },
      from: { '__proto__.a': 0, b: 1 },
    },
  ];
  for (const { title, layers, values, from } of cases) {
    it(title, () => {
      const named = layers.map((layer, index) => ({ origin: String(index), values: layer }));
      assert.deepEqual(mergeLayers(named), values);
      const expected = Object.entries(from).map(([path, layer]) => ({ path, origin: String(layer) }));
      assert.deepEqual(
        provenanceOf(named),
        expected.sort((a, b) => (a.path < b.path ? -1 : 1)),
      );
    });
  }
});

describe('a text of a Secret', () => {
  it('goes to a path of names, with escaped dots inside of a name', () => {
    assert.deepEqual(placeAt('auth.password', 'x'), { auth: { password: 'x' } });
    assert.deepEqual(placeAt('labels.example\\.com/a', 'x'), { labels: { 'example.com/a': 'x' } });
    assert.deepEqual(placeAt('port', '5432'), { port: '5432' });
  });

  it('is found wherever it stands in values', () => {
    assert.deepEqual(textsIn({ a: 'x', b: [1, { c: 'y' }], d: true, e: null }), ['x', '1', 'y']);
  });
});
