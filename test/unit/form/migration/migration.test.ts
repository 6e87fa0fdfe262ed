import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { decideMigration } from '../../../../src/form/migration/decide-migration.ts';
import { previewMigration } from '../../../../src/form/migration/migration.ts';
import { runs } from '../../../support/runs.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const group = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

interface Case {
  readonly world: string;
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly values: JsonObject;
  /** `path change: options`. */
  readonly rows: readonly string[];
  readonly others?: number;
  readonly decisions?: Record<string, string>;
  readonly becomes?: JsonObject;
}

const cases: readonly Case[] = [
  { world: 'Nothing changed', from: group({ a: text }), to: group({ a: text }), values: { a: 'x' }, rows: [] },
  {
    world: 'A field that is gone',
    from: group({ a: text, b: text }),
    to: group({ a: text }),
    values: { a: 'x', b: '' },
    rows: ['spec.b removed: remove'],
    decisions: { 'spec.b': 'remove' },
    becomes: { a: 'x' },
  },
  {
    world: 'A field that is gone and not used',
    from: group({ a: text, b: text }),
    to: group({ a: text }),
    values: { a: 'x' },
    rows: [],
    others: 1,
  },
  {
    world: 'A field that has another name, and a like one',
    from: group({ storageClass: text }),
    to: group({ storageClassName: text }),
    values: { storageClass: 'fast' },
    rows: ['spec.storageClass renamed: move:spec.storageClassName,remove'],
    decisions: { 'spec.storageClass': 'move:spec.storageClassName' },
    becomes: { storageClassName: 'fast' },
  },
  {
    world: 'A field that has another name, and the same words about it',
    from: group({ replicas: { ...whole, description: 'How many servers hold the data.' } }),
    to: group({ instances: { ...whole, description: 'How many servers hold the data' }, size: whole }),
    values: { replicas: 0 },
    rows: ['spec.replicas renamed: move:spec.instances,remove'],
    decisions: { 'spec.replicas': 'move:spec.instances' },
    becomes: { instances: 0 },
  },
  {
    world: 'A like name that cannot take the value',
    from: group({ size: text }),
    to: group({ sizes: { type: 'array', items: text } }),
    values: { size: '1Gi' },
    rows: ['spec.size removed: remove'],
  },
  {
    world: 'A like name that has a value already',
    from: group({ size: text }),
    to: group({ sizes: text }),
    values: { size: '1Gi', sizes: '2Gi' },
    rows: ['spec.size removed: remove'],
  },
  {
    world: 'A field that became required',
    from: group({ a: text }),
    to: group({ a: text, b: whole }, { required: ['b'] }),
    values: { a: 'x' },
    rows: ['spec.b required: set'],
    decisions: { 'spec.b': 'set:3' },
    becomes: { a: 'x', b: 3 },
  },
  {
    world: 'A field that became required, with a default',
    from: group({ a: text }),
    to: group({ b: { ...whole, default: 1 }, a: text }, { required: ['b'] }),
    values: { a: 'x' },
    rows: [],
    others: 0,
  },
  {
    world: 'Another default under an empty field, which is kept',
    from: group({ a: { ...whole, default: 1 } }),
    to: group({ a: { ...whole, default: 3 } }),
    values: {},
    rows: ['spec.a default: take,keep'],
    decisions: { 'spec.a': 'keep' },
    becomes: { a: 1 },
  },
  {
    world: 'Another default under an empty field, which is taken',
    from: group({ a: { ...whole, default: 1 } }),
    to: group({ a: { ...whole, default: 3 } }),
    values: {},
    rows: ['spec.a default: take,keep'],
    decisions: { 'spec.a': 'take' },
    becomes: {},
  },
  {
    world: 'Another default under a field that is set',
    from: group({ a: { ...whole, default: 1 } }),
    to: group({ a: { ...whole, default: 3 } }),
    values: { a: 1 },
    rows: [],
    others: 1,
  },
  {
    world: 'Another type',
    from: group({ port: whole }),
    to: group({ port: text }),
    values: { port: 80 },
    rows: ['spec.port type: set,remove'],
    decisions: { 'spec.port': 'set:"80"' },
    becomes: { port: '80' },
  },
  {
    world: 'Narrower limits, within rows',
    from: group({ users: { type: 'array', items: group({ name: text }) } }),
    to: group({ users: { type: 'array', items: group({ name: { ...text, maxLength: 3 } }) } }),
    values: { users: [{ name: 'ann' }, { name: 'benjamin' }] },
    rows: ['spec.users[1].name narrowed: set,remove'],
    decisions: { 'spec.users[1].name': 'set:ben' },
    becomes: { users: [{ name: 'ann' }, { name: 'ben' }] },
  },
  {
    world: 'A choice that is gone',
    from: group({ mode: { ...text, enum: ['a', 'b'] } }),
    to: group({ mode: { ...text, enum: ['b'] } }),
    values: { mode: 'a' },
    rows: ['spec.mode narrowed: set,remove'],
  },
  {
    world: 'Keys with dots and slashes',
    from: group({ 'a.b/c': text, m: { type: 'object', additionalProperties: group({ x: text }) } }),
    to: group({ m: { type: 'object', additionalProperties: group({}, { additionalProperties: false }) } }),
    values: { 'a.b/c': '1', m: { 'k.l': { x: '2' } } },
    rows: ['spec["a.b/c"] removed: remove', 'spec.m["k.l"].x removed: remove'],
    decisions: { 'spec["a.b/c"]': 'remove', 'spec.m["k.l"].x': 'remove' },
    becomes: { m: { 'k.l': {} } },
  },
  {
    world: 'What is free-form keeps what nobody names',
    from: group({ a: text }),
    to: group({}, { 'x-kubernetes-preserve-unknown-fields': true }),
    values: { a: 'x' },
    rows: [],
  },
];

for (const { world, from, to, values, rows, others, decisions, becomes } of cases) {
  test(`A migration has rows to decide: ${world}`, () => {
    const before = structuredClone(values);
    const preview = previewMigration({ from, to, values, root: 'spec' });
    assert.deepEqual(
      preview.rows.map(({ path, change, options }) => `${path} ${change}: ${options.join(',')}`),
      rows,
    );
    if (others !== undefined) assert.equal(preview.others, others);
    if (decisions !== undefined) assert.deepEqual(decideMigration(values, preview.rows, decisions), { values: becomes, faults: [] });
    assert.deepEqual(values, before);
  });
}

test('Two values never move to one place, and a required field that one moves to asks for nothing', () => {
  const values = { sizeOne: 'x', sizeTwo: 'y' };
  const { rows } = previewMigration({
    from: group({ sizeOne: text, sizeTwo: text }),
    to: group({ size: text }, { required: ['size'] }),
    values,
    root: 'spec',
  });
  assert.deepEqual(
    rows.map(({ path, change, options }) => `${path} ${change}: ${options.join(',')}`),
    ['spec.sizeOne renamed: move:spec.size,remove', 'spec.sizeTwo removed: remove'],
  );
});

test('What nobody decided, and what is not offered, is a fault of its field', () => {
  const { rows } = previewMigration({
    from: group({ a: text, b: text, c: text }),
    to: group({ c: whole }),
    values: { a: '1', b: '2', c: 'x' },
    root: 'spec',
  });
  const { faults } = decideMigration({ a: '1', b: '2', c: 'x' }, rows, { 'spec.b': 'move:spec.__proto__', 'spec.c': 'set:[' });
  assert.deepEqual(
    faults.map(({ field, message }) => `${field}: ${message.slice(0, 27)}`),
    ['spec.a: Choose an option', 'spec.b: Choose one of the options', 'spec.c: Line 1: This is not valid Y'],
  );
});

const KEYS = ['size', 'sizes', 'storageSize', 'name', 'a.b', '__proto__', 'mode'];
const leaf = fc.constantFrom<Json>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'string', enum: ['a'] },
  { type: 'boolean', default: true },
  { type: 'boolean', default: false },
);
const schemaAt = (depth: number): fc.Arbitrary<JsonObject> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), depth === 0 ? leaf : fc.oneof(leaf, schemaAt(depth - 1))), {
      selector: ([key]) => key,
      maxLength: 4,
    })
    .chain((members) => fc.subarray(members.map(([key]) => key)).map((required) => group(Object.fromEntries(members), { required })));
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>('', 'a', 0, 7, true, false),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value;

test('No value is lost silently: each is where it was, was moved, or stands in a row that was decided', () => {
  fc.assert(
    fc.property(schemaAt(2), schemaAt(2), fc.dictionary(fc.constantFrom(...KEYS), value, { noNullPrototype: true }), (from, to, values) => {
      const { rows } = previewMigration({ from, to, values, root: 'spec' });
      const decisions = Object.fromEntries(rows.map((row) => [row.path, row.options[0] === 'set' ? 'set:a' : (row.options[0] ?? '')]));
      const decided = decideMigration(values, rows, decisions);
      assert.deepEqual(decided.faults, []);
      const after = new Set(leaves(decided.values).map(([path, each]) => `${path}=${stringifyJson(each)}`));
      for (const [path, each] of leaves(values)) {
        // An empty group may have been filled.
        if (stringifyJson(each) === '{}') continue;
        const row = rows.find((one) => path === one.path || path.startsWith(`${one.path}.`) || path.startsWith(`${one.path}[`));
        assert.ok(row !== undefined || after.has(`${path}=${stringifyJson(each)}`), path);
        if (row?.options[0]?.startsWith('move:') !== true) continue;
        const moved = `${row.options[0].slice('move:'.length)}${path.slice(row.path.length)}=${stringifyJson(each)}`;
        assert.ok(after.has(moved), moved);
      }
    }),
    { numRuns: runs(150) },
  );
});

function leaves(values: Json | undefined, path = 'spec'): [string, Json][] {
  const isGroup = typeof values === 'object' && values !== null && !Array.isArray(values) && Object.keys(values).length > 0;
  if (!isGroup) return values === undefined ? [] : [[path, values]];
  return Object.entries(values).flatMap(([key, each]) =>
    leaves(each as Json, `${path}${/^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`),
  );
}
