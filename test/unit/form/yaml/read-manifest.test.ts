import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesInYaml } from '../../../../src/form/yaml/place-in-yaml.ts';
import { readManifest } from '../../../../src/form/yaml/read-manifest.ts';

const CACHE = { group: 'samples.example.com', version: 'v1', kind: 'Cache' };
const HEAD = 'apiVersion: samples.example.com/v1\nkind: Cache\n';

test('A whole resource gives its spec, its labels and its name, and reports what is left out', () => {
  const text = `${HEAD}metadata:\n  name: a\n  uid: x\n  ownerReferences: []\n  labels: {b: c}\n  namespace: ns\nspec: {size: 1}\nstatus: {ok: true}\n`;
  assert.deepEqual(readManifest(text, CACHE), {
    manifest: {
      content: { spec: { size: 1 }, metadata: { labels: { b: 'c' } } },
      name: 'a',
      namespace: 'ns',
      leftOut: ['metadata.ownerReferences'],
    },
  });
  assert.deepEqual(readManifest(HEAD, CACHE).manifest, { content: {}, name: '', namespace: '', leftOut: [] });
});

test('Values alone, and what cannot be read, are no whole resource and no fault of one', () => {
  for (const text of ['', 'size: 1', 'kind: x', '- apiVersion: v1\n  kind: A', 'a: [', HEAD.replace('Cache', 'Cache\nkind: B')]) {
    assert.deepEqual(readManifest(text, CACHE), {}, text);
  }
});

for (const [world, text, fault, line] of [
  ['another kind', HEAD.replace('Cache', 'Pod'), 'This is a Pod, but this form is for a Cache', 2],
  ['a kind of another group', HEAD.replace('samples', 'other'), 'This is a Cache of "other.example.com/v1"; the one here is of', 1],
  ['another version', HEAD.replace('v1', 'v2'), 'This is written for the version v2; the fields here are those of v1', 1],
  ['more than a resource has', `${HEAD}spec: {}\nspecs: {}\n`, 'A Cache has no "specs"', 4],
] as const) {
  test(`A text with ${world} is rejected with its line`, () => {
    const read = readManifest(text, CACHE, ['spec']);
    assert.ok(read.fault?.startsWith(fault), read.fault);
    assert.equal('line' in read && read.line, line);
  });
}

test('The place of a path is that of its deepest part that is there', () => {
  const text = 'users:\n  - name: a\n  - name: b\nlabels:\n  a.b/c: d\nstorage: {size: 1}\n';
  for (const [path, line, column] of [
    ['.users[1].name', 3, 5],
    ['.users.0.name', 2, 5],
    ['.labels[a.b/c]', 5, 3],
    ['.labels.a.b/c', 5, 3],
    ['.storage.size', 6, 11],
    ['.storage.class', 6, 1],
    ['.users[7].name', 1, 1],
  ] as const) {
    assert.deepEqual(placesInYaml(text)(path), { line, column }, path);
  }
  assert.equal(placesInYaml(text)('.nothing'), undefined);
  assert.equal(placesInYaml('')('.users'), undefined);
});
