import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { formatSeen, mergeChanges, parseSeen, seenOf } from '../../../../src/web/instance/three-way.ts';

const BASE: JsonObject = { instances: 1, storage: { size: '10Gi', className: 'fast' }, users: [{ name: 'a' }] };
const SEEN = parseSeen(formatSeen(seenOf(BASE, 'uid')));

interface Case {
  readonly why: string;
  readonly mine: JsonObject;
  readonly live: JsonObject;
  readonly values: JsonObject;
  readonly foreign: readonly string[];
}

const CASES: readonly Case[] = [
  { why: 'nobody changed anything', mine: BASE, live: BASE, values: BASE, foreign: [] },
  { why: 'only I did', mine: { ...BASE, instances: 3 }, live: BASE, values: { ...BASE, instances: 3 }, foreign: [] },
  {
    why: 'another changed a different field',
    mine: { ...BASE, instances: 3 },
    live: { ...BASE, storage: { size: '20Gi', className: 'fast' } },
    values: { ...BASE, instances: 3, storage: { size: '20Gi', className: 'fast' } },
    foreign: ['storage.size'],
  },
  {
    why: 'both changed the same field, differently',
    mine: { ...BASE, instances: 3 },
    live: { ...BASE, instances: 5 },
    values: { ...BASE, instances: 3 },
    foreign: ['instances clash'],
  },
  {
    why: 'both changed it to the same',
    mine: { ...BASE, instances: 5 },
    live: { ...BASE, instances: 5 },
    values: { ...BASE, instances: 5 },
    foreign: ['instances'],
  },
  {
    why: 'another took away what I left alone',
    mine: BASE,
    live: { instances: 1, storage: { size: '10Gi' }, users: [{ name: 'a' }] },
    values: { instances: 1, storage: { size: '10Gi' }, users: [{ name: 'a' }] },
    foreign: ['storage.className'],
  },
  {
    why: 'I took away what another left alone',
    mine: { instances: 1, storage: { size: '10Gi' }, users: [{ name: 'a' }] },
    live: BASE,
    values: { instances: 1, storage: { size: '10Gi' }, users: [{ name: 'a' }] },
    foreign: [],
  },
  {
    why: 'lists count whole',
    mine: { ...BASE, users: [] },
    live: { ...BASE, users: [{ name: 'b' }] },
    values: { ...BASE, users: [] },
    foreign: ['users clash'],
  },
];

for (const { why, mine, live, values, foreign } of CASES) {
  test(`a change on top of another: ${why}`, () => {
    const merge = mergeChanges(SEEN, { mine, live }, 'uid');
    assert.deepEqual(merge.values, values);
    assert.deepEqual(
      merge.foreign.map(({ path, clash }) => (clash ? `${path} clash` : path)),
      foreign,
    );
  });
}

test('what the page carries along holds no value, and differs from object to object', () => {
  const text = formatSeen(seenOf({ password: 'hunter2' }, 'uid'));
  assert.doesNotMatch(text, /hunter2/);
  assert.notEqual(text, formatSeen(seenOf({ password: 'hunter2' }, 'other')));
});

test('a digest that somebody tampered with makes everything look new, and breaks nothing', () => {
  assert.equal(parseSeen('{').size, 0);
  assert.equal(parseSeen('[1]').size, 0);
  assert.equal(mergeChanges(parseSeen('null'), { mine: BASE, live: BASE }, 'uid').foreign.length, 4);
});

test('a key named like a prototype stays a key', () => {
  const odd = JSON.parse('{"__proto__": {"x": 1}}') as JsonObject;
  const merge = mergeChanges(parseSeen('{}'), { mine: odd, live: {} }, 'uid');
  assert.equal(stringifyJson(merge.values), '{"__proto__":{"x":1}}');
});

test('a key with a dot is not taken for two keys', () => {
  const live: JsonObject = { 'a.b': 'mine', a: { b: 'theirs' }, 'x y': 0 };
  const merge = mergeChanges(
    seenOf({ 'a.b': 'mine', a: { b: 'old' }, 'x y': 0 }, 'uid'),
    { mine: { ...live, a: { b: 'old' } }, live },
    'uid',
  );
  assert.deepEqual(merge.values, live);
  assert.deepEqual(
    merge.foreign.map(({ path, keys }) => [path, keys]),
    [['a.b', ['a', 'b']]],
  );
});
