import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf, filterChoices, type Choices } from '../../../../src/domain/app/choices.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const names = (count: number): Choices => ({
  resource: 'secrets',
  items: Array.from({ length: count }, (_, index) => ({ name: `s-${index}`, keys: [] })),
  truncated: false,
  served: true,
});

test('The keys of a Secret are those that its managed fields name, each once and sorted', () => {
  const managedFields = [
    { manager: 'a', fieldsV1: { 'f:data': { '.': {}, 'f:username': {}, 'f:password': {} }, 'f:type': {} } },
    { manager: 'b', fieldsV1: { 'f:data': { 'f:password': {} }, 'f:metadata': { 'f:labels': {} } } },
    { manager: 'c', fieldsV1: { 'f:binaryData': { 'f:ca.crt': {} } } },
    'nonsense',
  ];
  const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', managedFields } };
  assert.deepEqual(keysOf(secret), ['ca.crt', 'password', 'username']);
});

test('What has no managed fields has no known keys', () => {
  assert.deepEqual(keysOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }), []);
});

test('Of many choices the first 200 whose name has the text are offered, and it is said that there are more', () => {
  const all = filterChoices(names(300), '');
  assert.equal(all.items.length, 200);
  assert.equal(all.truncated, true);
  assert.deepEqual(
    filterChoices(names(300), ' S-29 ').items.map(({ name }) => name),
    ['s-29', 's-290', 's-291', 's-292', 's-293', 's-294', 's-295', 's-296', 's-297', 's-298', 's-299'],
  );
  assert.equal(filterChoices(names(300), 's-29').truncated, false);
});
