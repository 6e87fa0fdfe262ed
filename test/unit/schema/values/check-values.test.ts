import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { checkChartValues, createValuesCheck } from '../../../../src/schema/values/check-values.ts';

const checkValues = createValuesCheck();

const DRAFTS = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;

interface Case {
  readonly world: string;
  readonly draft?: keyof typeof DRAFTS;
  readonly schema: JsonObject;
  readonly values: JsonObject;
  /** `field: message` of each fault. */
  readonly faults: readonly string[];
}

const cases: readonly Case[] = [
  {
    world: 'Types, choices and unknown members are reported by path, without their values',
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { size: { type: 'integer' }, hosts: { items: { enum: ['a', 'b'] } } },
    },
    values: { size: 'hunter2', hosts: ['a', 'hunter2'], more: 1 },
    faults: [': must have "name"', ': knows no "more"', 'size: must be integer', 'hosts[1]: must be equal to one of the allowed values'],
  },
  {
    world: 'Draft 4 excludes a limit by a flag',
    draft: 'draft-04',
    schema: { properties: { a: { type: 'number', minimum: 1, exclusiveMinimum: true } } },
    values: { a: 1 },
    faults: ['a: must be > 1'],
  },
  {
    world: 'Draft 6 excludes a limit by a number and knows constants',
    draft: 'draft-06',
    schema: { properties: { a: { exclusiveMinimum: 1 }, b: { const: 'x' } } },
    values: { a: 1, b: 'y' },
    faults: ['a: must be > 1', 'b: must be equal to constant'],
  },
  {
    world: 'Draft 7 has conditions',
    draft: 'draft-07',
    schema: JSON.parse('{"if":{"properties":{"mode":{"const":"on"}}},"then":{"required":["port"]}}') as JsonObject,
    values: { mode: 'on' },
    faults: [': must have "port"'],
  },
  {
    world: '2019-09 has dependent members and recursion from outside',
    draft: '2019-09',
    schema: { dependentRequired: { a: ['b'] }, properties: { next: { $recursiveRef: '#' } } },
    values: { next: { a: 1 } },
    faults: ['next: must have property b when property a is present'],
  },
  {
    world: '2020-12 has tuples of another name and closes what nothing described',
    draft: '2020-12',
    schema: { properties: { a: { prefixItems: [{ type: 'string' }], items: false } }, unevaluatedProperties: false },
    values: { a: [1, 2], b: 1 },
    faults: [': knows no "b"', 'a: must NOT have more than 1 items', 'a[0]: must be string'],
  },
  {
    world: 'Of a choice that fails, the choice is reported',
    schema: { properties: { a: { oneOf: [{ type: 'string' }, { type: 'boolean' }] } } },
    values: { a: 1 },
    faults: ['a: must match exactly one schema in oneOf'],
  },
  {
    world: 'A pattern that would run for ages elsewhere runs in linear time',
    schema: { properties: { a: { pattern: '^(a+)+$' } } },
    values: { a: `${'a'.repeat(20_000)}b` },
    faults: ['a: must match pattern "^(a+)+$"'],
  },
  {
    world: 'Each of several patterns is run, for members and for their names',
    schema: {
      properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' }, more: { patternProperties: { '^x': {}, '^y': { type: 'integer' } } } },
      additionalProperties: false,
    },
    values: { a: 'a', b: 'a', more: { x: 'text', y: 'text' } },
    faults: ['b: must match pattern "^b+$"', 'more.y: must be integer'],
  },
  {
    world: 'A whole number of 64 bits is a number',
    schema: { properties: { a: { type: 'integer' } } },
    values: { a: 2n ** 60n },
    faults: [],
  },
];

for (const { world, draft, schema, values, faults } of cases) {
  test(world, async () => {
    const said = draft === undefined ? {} : { $schema: DRAFTS[draft] };
    const verdict = await checkValues({ schema: { ...said, ...schema }, values, id: world });
    assert.equal(verdict.unchecked, undefined);
    assert.deepEqual(verdict.faults.map(({ field, message }) => `${field}: ${message}`).toSorted(), [...faults].toSorted());
    assert.doesNotMatch(stringifyJson(verdict), /hunter2/);
  });
}

test('A pattern that cannot be run rejects nothing, neither a value nor a name, and is reported', async () => {
  const schema = {
    properties: {
      a: { pattern: '^(?!b)' },
      b: { patternProperties: { '^(?!c)': { type: 'integer' }, '^d': { type: 'integer' } }, additionalProperties: false },
    },
  };
  const { faults, unchecked } = await checkValues({ schema, values: { a: 'b', b: { c: 'text', d: 'text' } }, id: 'unreadable' });
  assert.deepEqual(faults, [{ field: 'b.d', message: 'must be integer' }]);
  assert.match(unchecked ?? '', /patterns that need a backtracking engine/);
});

/** Each level asks the next one twice: 2^30 questions. */
const EXPONENTIAL: JsonObject = {
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => {
      const next = { $ref: `#/$defs/l${n + 1}` };
      return [`l${n}`, n === 29 ? { type: 'string' } : { anyOf: [next, next] }];
    }),
  ),
};

test('A schema that never ends is ended, left alone for a while, and does not keep others waiting', async () => {
  let now = 0;
  const check = createValuesCheck({ timeoutMs: 300, memoryMib: 64, restMs: 1000, now: () => now });
  const [heavy, other] = await Promise.all([
    check({ schema: EXPONENTIAL, values: { a: 1 }, id: 'heavy' }),
    check({ schema: { required: ['b'] }, values: { a: 1 }, id: 'other' }),
  ]);
  assert.deepEqual(heavy, { faults: [], unchecked: 'the schema takes more than 0.3 s, or too much memory' });
  assert.equal(other.faults.length, 1);
  // Left alone means that no thread is started: a harmless schema under the same name would be answered.
  assert.match((await check({ schema: {}, values: {}, id: 'heavy' })).unchecked ?? '', /more than/);
  now = 1000;
  assert.deepEqual(await check({ schema: {}, values: {}, id: 'heavy' }), { faults: [] });
});

test('A schema that eats memory ends with its thread', async () => {
  const check = createValuesCheck({ timeoutMs: 60_000, memoryMib: 16, restMs: 0, now: () => 0 });
  const members = Array.from({ length: 1000 }, (_, n) => [`p${n}`, { anyOf: Array.from({ length: 30 }, () => ({ type: 'string' })) }]);
  const schema = { properties: Object.fromEntries(members) as JsonObject };
  assert.match((await check({ schema, values: {}, id: 'a' })).unchecked ?? '', /memory/);
});

test('Up to the limits a schema is checked, and one node beyond it is not', async () => {
  const schemaOf = (options: number): JsonObject => ({ enum: Array.from({ length: options }, (_, n) => n) });
  // The object, the list, and the options.
  assert.equal((await checkValues({ schema: schemaOf(99_998), values: {}, id: 'within' })).faults.length, 1);
  assert.match((await checkValues({ schema: schemaOf(99_999), values: {}, id: 'beyond' })).unchecked ?? '', /larger than the limits/);
  const long = (length: number): JsonObject => ({ description: 'x'.repeat(length) });
  assert.equal((await checkValues({ schema: long(5 * 1024 * 1024 - 11), values: {}, id: 'long' })).unchecked, undefined);
  assert.match((await checkValues({ schema: long(5 * 1024 * 1024), values: {}, id: 'longer' })).unchecked ?? '', /larger/);
});

test('Values are laid over those of the chart, and a subchart takes no text for its values', async () => {
  const contents = {
    metadata: {
      name: 'shop',
      dependencies: [
        { name: 'redis', version: '' },
        { name: 'postgresql', version: '', alias: 'db' },
      ],
    },
    values: { size: 1, host: 'a' },
    schema: { required: ['size', 'host'], properties: { size: { type: 'integer' } } },
    subcharts: [{ name: 'redis', version: '1.0.0', dependencies: [], values: {}, subcharts: [] }],
  };
  const chart = { digest: 'sha256:shop', contents };
  assert.deepEqual((await checkChartValues(chart, { size: 2, redis: {}, db: {} })).faults, []);
  const { faults } = await checkChartValues(chart, { size: 'two', host: null });
  assert.deepEqual(faults, [
    'The values violate the schema of the chart: must have "host"',
    'The values violate the schema of the chart: size: must be integer',
  ]);
  const mismatch = await checkChartValues(chart, { redis: 'on' });
  assert.deepEqual(mismatch.faults, [
    'The values violate the schema of the chart: redis: must be an object: these are the values of a subchart',
  ]);
  assert.deepEqual(await checkChartValues({ digest: 'x', contents: { metadata: { name: 'a' } } }, { any: 1 }), {
    faults: [],
    unchecked: [],
  });
});
