import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { withDefaults } from '../../src/domain/upgrade/crd-safety/schema-shape.ts';
import { validateValue } from '../../src/domain/upgrade/crd-safety/validate-value.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { createRuleCheck, newRules } from '../../src/schema/rules/check-rules.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';

type Schema = Readonly<Record<string, unknown>>;
const text = { type: 'string' };
const int = { type: 'integer' };
const format = (name: string): Schema => ({ type: 'string', format: name });
const group = `valid.${RUN}.example.com`;

/** A schema, values of it that are distinguished by what each of the two judges says. */
const CASES: readonly (readonly [title: string, schema: Schema, values: readonly unknown[]])[] = [
  ['an integer', int, [1, -1, 1.5, 'a', true, 2 ** 40]],
  ['an integer of 32 bits', { ...int, format: 'int32' }, [1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1]],
  ['a number', { type: 'number' }, [1, 1.5, 'a']],
  ['bounds', { ...int, minimum: 2, maximum: 5 }, [1, 2, 5, 6]],
  ['exclusive bounds', { ...int, minimum: 2, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true }, [2, 3, 5]],
  ['steps', { type: 'number', multipleOf: 0.5 }, [1.5, 1.7, 1]],
  ['steps of one and a half', { type: 'number', multipleOf: 2.5 }, [7.5, 5, 4]],
  ['an enum', { ...text, enum: ['a', 'b'] }, ['a', 'c']],
  ['a length', { ...text, minLength: 2, maxLength: 3 }, ['a', 'ab', 'abc', 'abcd', '👍👍', 'e\u0301e\u0301']],
  ['a pattern', { ...text, pattern: 'b+$' }, ['abb', 'ba', '(b']],
  ['an anchored pattern', { ...text, pattern: '^a\\.b$' }, ['a.b', 'axb']],
  ['int-or-string', { 'x-kubernetes-int-or-string': true }, [1, 'a', 1.5, true]],
  ['null where it may be', { ...text, nullable: true }, [null, 'a']],
  ['null where a default replaces it', { ...text, default: 'x' }, [null, 'a']],
  ['a list', { type: 'array', items: int, minItems: 1, maxItems: 2 }, [[], [1], [1, 2, 3], ['a'], 'a']],
  [
    'a set',
    { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    [
      ['a', 'b'],
      ['a', 'a'],
    ],
  ],
  ['a list of named entries', namedEntries(), [[{ name: 'a' }, { name: 'b' }], [{ name: 'a' }, { name: 'a' }], [{ other: 'a' }]]],
  ['a map', { type: 'object', additionalProperties: int, maxProperties: 2 }, [{ a: 1 }, { 'a.b/c': 'x' }, { a: 1, b: 2, c: 3 }]],
  [
    'required members',
    { type: 'object', properties: { a: text, b: { ...text, default: 'x' } }, required: ['a', 'b'] },
    [{}, { a: 'x' }, { b: 'x' }],
  ],
  ['unknown members', { type: 'object', properties: { a: text } }, [{ a: 'x' }, { z: 'x' }]],
  [
    'kept unknown members',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: int } },
    [{ z: 'x' }, { a: 'x' }],
  ],
  ['allOf', { ...int, allOf: [{ minimum: 2 }, { maximum: 4 }] }, [1, 3, 5]],
  ['anyOf', { ...int, anyOf: [{ maximum: 2 }, { minimum: 4 }] }, [1, 3, 5]],
  ['oneOf', { ...int, oneOf: [{ maximum: 3 }, { minimum: 3 }] }, [1, 3, 5]],
  ['not', { ...int, not: { minimum: 3 } }, [1, 5]],
  [
    'one of two members',
    { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{}, { a: 'x' }, { a: 'x', b: 'x' }],
  ],
  [
    'one of two members, one of which has a default',
    { type: 'object', properties: { a: { ...text, default: 'x' }, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{}, { b: 'x' }],
  ],
  [
    'conditions deep down',
    {
      type: 'object',
      properties: { a: members({ b: members({ c: int, d: int }), l: { type: 'array', items: members({ e: int, f: int }) } }) },
      anyOf: [
        {
          properties: { a: { properties: { b: { properties: { c: { minimum: 3 } }, required: ['c'] } }, required: ['b'] } },
          required: ['a'],
        },
        { properties: { a: { properties: { l: { items: { required: ['e'] }, minItems: 1 } }, required: ['l'] } }, required: ['a'] },
      ],
    },
    [{ a: { b: { c: 3, d: 1 } } }, { a: { b: { c: 1, d: 1 } } }, { a: { l: [{ e: 1, f: 2 }] } }, { a: { l: [{ f: 2 }] } }, {}],
  ],
  [
    'a resource inside',
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    [{ kind: 'Pod' }, { apiVersion: 'v1', kind: 'Pod' }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} }],
  ],
  [
    'date-time',
    format('date-time'),
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00', '2026-01-01', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', 'x'],
  ],
  ['date', format('date'), ['2026-01-31', '2026-02-30', '2026-1-1', 'x']],
  ['duration', format('duration'), ['1h30m', '1.5h', '90', '2 days', '-5s', '1 week', 'soon', '', '3d', '0']],
  ['byte', format('byte'), ['aGVsbG8=', 'aGVsbG8', 'a b', '', '-_8=']],
  ['ipv4', format('ipv4'), ['10.0.0.1', '10.0.0.256', '::1', '010.0.0.1']],
  ['ipv6', format('ipv6'), ['::1', '10.0.0.1', '::ffff:1.2.3.4', 'x']],
  ['cidr', format('cidr'), ['10.0.0.0/8', '10.0.0.0/33', '10.0.0.0', 'fd00::/64']],
  ['mac', format('mac'), ['01:23:45:67:89:ab', '01-23-45-67-89-ab', '0123.4567.89ab', '01:23', 'x']],
  ['uuid', format('uuid'), ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', 'x']],
  ['uuid4', format('uuid4'), ['123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000']],
  ['email', format('email'), ['a@b', 'a@example.com', 'A <a@example.com>', 'a', 'a@@b']],
  ['uri', format('uri'), ['https://a.b/c?d', 'urn:x', '/a/b', 'a b', 'a/b', '']],
  [
    'hostname',
    format('hostname'),
    ['a.example.com', 'a', '-a', 'a..b', 'a_b', 'A.B', 'A.CO', 'a b', '1.2.3.4', 'a.b1', 'a.example.com.', 'é.example.com', 'x1.io'],
  ],
  ['hexcolor', format('hexcolor'), ['#fff', '#ffffff', 'fff', '#ggg']],
  ['a format that nobody knows', format('colour-of-the-sky'), ['anything']],
  ['password', format('password'), ['anything', '']],
];

/** A schema with rules in CEL, and values of it. */
const RULED: readonly (readonly [title: string, schema: Schema, values: readonly unknown[]])[] = [
  ['integers', ruled(int, 'self % 2 == 0 && self / 2 > 1'), [2, 4, 5, -6]],
  ['numbers', ruled({ type: 'number' }, 'self * 2.0 >= 3.0'), [1, 1.5, 2]],
  ['lengths', ruled({ ...text, maxLength: 20 }, 'size(self) > 2 && self.size() < 5'), ['a', 'abc', '👍👍👍', 'abcdef']],
  ['patterns', ruled({ ...text, maxLength: 20 }, "self.matches('^[a-z]+[0-9]?$')"), ['abc1', 'A', 'a11']],
  [
    'beginnings and ends',
    ruled({ ...text, maxLength: 20 }, "self.startsWith('a') && !self.endsWith('z') && self.contains('b')"),
    ['ab', 'abz', 'b'],
  ],
  ['choices', ruled({ ...text, maxLength: 20 }, "self in ['a', 'b']"), ['a', 'c']],
  ['splitting', ruled({ ...text, maxLength: 20 }, "self.split(',').size() == 2 && self.lowerAscii() == self"), ['a,b', 'a', 'A,b']],
  ['absence', ruled(members({ a: int, b: int }), 'has(self.a) != has(self.b)'), [{}, { a: 1 }, { a: 1, b: 2 }]],
  ['defaults', ruled(members({ a: { ...int, default: 3 }, b: int }), '!has(self.b) || self.a < self.b'), [{}, { b: 4 }, { b: 2 }]],
  ['optional members', ruled(members({ a: members({ b: int }) }), 'self.?a.?b.orValue(0) < 5'), [{}, { a: {} }, { a: { b: 9 } }]],
  [
    'lists',
    ruled(
      { type: 'array', maxItems: 5, items: { ...text, maxLength: 9 } },
      "self.all(x, x.startsWith('a')) && self.exists_one(x, x == 'a')",
    ),
    [['a', 'ab'], ['a', 'a'], ['b'], []],
  ],
  [
    'lists of objects',
    ruled(
      { type: 'array', maxItems: 5, items: members({ n: { ...text, maxLength: 9 }, p: int }) },
      'self.filter(x, has(x.p)).map(x, x.n).size() < 2',
    ),
    [
      [{ n: 'a', p: 1 }],
      [
        { n: 'a', p: 1 },
        { n: 'b', p: 2 },
      ],
      [{ n: 'a' }],
    ],
  ],
  [
    'maps',
    ruled({ type: 'object', maxProperties: 5, additionalProperties: int }, "self.all(k, k.size() < 4 && self[k] > 0) && !('x' in self)"),
    [{ a: 1 }, { long: 1 }, { a: 0 }, { x: 1 }],
  ],
  [
    'names that cannot be spelt',
    ruled(members({ namespace: text, 'a-b': text, 'c.d': text }), 'self.__namespace__ != self.a__dash__b && has(self.c__dot__d)'),
    [
      { namespace: 'x', 'a-b': 'y', 'c.d': 'z' },
      { namespace: 'x', 'a-b': 'x', 'c.d': 'z' },
    ],
  ],
  ['durations', ruled(format('duration'), "self > duration('1m') && self.getMinutes() < 90"), ['2m', '1s', '2h', '60s']],
  [
    'times',
    ruled(format('date-time'), "self > timestamp('2020-01-01T00:00:00Z') && self.getFullYear() < 2030"),
    ['2026-01-01T00:00:00Z', '2019-01-01T00:00:00Z', '2031-06-01T00:00:00Z'],
  ],
  ['int-or-string', ruled({ 'x-kubernetes-int-or-string': true }, "type(self) == int ? self > 1 : self == 'auto'"), [1, 2, 'auto', 'x']],
  ['null', ruled({ ...text, nullable: true, maxLength: 20 }, "self != 'x'"), [null, 'x', 'y']],
  [
    'choices between two',
    ruled(members({ kind: text, a: int, b: int }), "self.kind == 'A' ? has(self.a) && !has(self.b) : has(self.b)"),
    [
      { kind: 'A', a: 1 },
      { kind: 'A', b: 1 },
      { kind: 'B', b: 1 },
    ],
  ],
  [
    'texts of numbers',
    ruled(members({ a: int, s: { ...text, maxLength: 9 } }), 'string(self.a) == self.s && int(self.s) == self.a'),
    [
      { a: 3, s: '3' },
      { a: 3, s: '4' },
    ],
  ],
  ['joining', ruled({ type: 'array', maxItems: 5, items: { ...text, maxLength: 9 } }, "self.join('-') == 'a-b'"), [['a', 'b'], ['a']]],
];

let testCluster: TestCluster;
let kube: Kube;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  const cluster = kube.asController();
  const fields = [...CASES.map(([, schema], index) => [`f${index}`, schema]), ...RULED.map(([, schema], index) => [`r${index}`, schema])];
  const properties = Object.fromEntries(fields);
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  await cluster.create(CRD, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `samples.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: 'Sample', plural: 'samples' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await eventually(async () => (await answerOf({})) === '', 'the kind is served');
});
after(async () => {
  await kube.asController().delete({ ...CRD, name: `samples.${group}` });
  await kube.close();
  await testCluster.stop();
});

describe('what a stored value is said to be', () => {
  for (const [index, [title, schema, values]] of CASES.entries()) {
    it(`is what the api-server says of ${title}`, async () => {
      for (const value of values) {
        const ours = validateValue(schema, withDefaults(schema, value)).map(({ path, message }) => `${path}: ${message}`);
        const theirs = await answerOf({ [`f${index}`]: value });
        assert.equal(
          ours.length === 0,
          theirs === '',
          `${stringifyJson(value)}: we say ${ours.join('; ') || 'yes'}, it says ${theirs || 'yes'}`,
        );
      }
    });
  }
});

describe('what stored objects are said to be by rules in CEL', () => {
  for (const [index, [title, schema, values]] of RULED.entries()) {
    it(`is what the api-server says of ${title}`, async () => {
      const root = { type: 'object', properties: { [`r${index}`]: schema } };
      const check = createRuleCheck(root, newRules({}, root));
      for (const value of values) {
        const ours = check([dryRuns({ [`r${index}`]: value })]);
        const theirs = await answerOf({ [`r${index}`]: value });
        assert.deepEqual(ours.unchecked, [], stringifyJson(value));
        assert.equal(
          ours.broken.length === 0,
          theirs === '',
          `${stringifyJson(value)}: we say ${stringifyJson(ours.broken)}, it says ${theirs || 'yes'}`,
        );
      }
    });
  }
});

/** What the api-server says against an object; empty when it would take it. */
async function answerOf(content: object): Promise<string> {
  const object = dryRuns(content);
  try {
    await kube.asController().create({ group, version: 'v1', resource: 'samples' }, object, { dryRun: 'All', fieldValidation: 'Strict' });
    return '';
  } catch (error) {
    if (isAppError(error, 'InvalidInput', 'NotFound')) return error.message;
    throw error;
  }
}

function namedEntries(): Schema {
  const items = { type: 'object', properties: { name: text, other: text }, required: ['name'] };
  return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
}

function dryRuns(content: object): KubeObject {
  return { apiVersion: `${group}/v1`, kind: 'Sample', metadata: { name: 'x' }, ...content };
}

function members(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties };
}

function ruled(schema: Schema, rule: string): Schema {
  return { ...schema, 'x-kubernetes-validations': [{ rule }] };
}
