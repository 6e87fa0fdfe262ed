import * as fc from 'fast-check';
import { parseJson, stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';

/** A schema and values that fit it most of the time. Now and then a value has nothing to do with its schema, as live objects do. */
export interface Generated {
  readonly schema: JsonObject;
  readonly values: JsonObject;
}

const KEYS = [
  'name',
  'size',
  'a.b/c',
  '__proto__',
  'constructor',
  'x y',
  '',
  '0',
  'toString',
  'adminPassword',
  'storageClassName',
  'schedule',
  'host',
  'baseURL',
  'port',
  'maxSurge',
  'ünï"\\',
];

/** `fc.string({ unit: 'binary' })` lists all code points first, which takes longer than most tests. */
const codePoints = fc.array(fc.nat({ max: 0x10ffff }), { maxLength: 12 }).map((codes) => String.fromCodePoint(...codes));
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  codePoints,
  fc.constantFrom(
    '',
    ' ',
    'null',
    'true',
    '5',
    '"5"',
    'a\nb',
    '0 2 * * *',
    '\n',
    'a\r\nb',
    '<b>',
    '~',
    '- a',
    '2001-01-01',
    '0x10',
    '1e3',
    '\u0000',
    '\ud800',
  ),
);
const anything = fc.jsonValue({ maxDepth: 3 }).map(plain);
const whole = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 2 ** 60, 1e21, 9007199254740993n));

/** More than a list shows at a glance, and some of them read the same. */
const MANY: readonly Json[] = [...Array.from({ length: 12 }, (_, index) => `zone-${index}`), '1', 1, true, 'true', '"1"', ''];

type Part = fc.Arbitrary<{ readonly schema: JsonObject; readonly value: fc.Arbitrary<Json> }>;

const scalar: Part = fc.constantFrom<{ schema: JsonObject; value: fc.Arbitrary<Json> }>(
  { schema: { type: 'string' }, value: text },
  { schema: { type: 'string', nullable: true }, value: fc.oneof(text, fc.constant(null)) },
  { schema: { type: 'integer' }, value: whole },
  { schema: { type: 'number' }, value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { schema: { type: 'boolean' }, value: fc.boolean() },
  { schema: { enum: ['small', 'large', 3, true, '', null] }, value: fc.constantFrom('small', 'large', 3, true, '', null) },
  { schema: { enum: MANY }, value: fc.constantFrom(...MANY) },
  { schema: { 'x-kubernetes-int-or-string': true }, value: fc.oneof(whole, text, fc.constantFrom('25%', '"80"')) },
  {
    schema: { type: ['boolean', 'number', 'string'] },
    value: fc.oneof(fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }), text),
  },
  { schema: { type: 'string', format: 'password' }, value: text },
  { schema: { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' }, value: anything },
  { schema: {}, value: anything },
);

function part(depth: number): Part {
  if (depth === 0) return scalar;
  const inner = part(depth - 1);
  const list = inner.map((item) => ({ schema: { type: 'array', items: item.schema }, value: fc.array(item.value, { maxLength: 3 }) }));
  const map = inner.map((item) => ({
    schema: { type: 'object', additionalProperties: item.schema },
    value: fc
      .array(fc.tuple(fc.oneof(text, fc.constantFrom(...KEYS)), item.value), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries) as JsonObject),
  }));
  return fc
    .tuple(fc.oneof(scalar, { arbitrary: group(depth - 1), weight: 2 }, list, map, choice(depth - 1)), fc.nat(9))
    .map(([{ schema, value }, chance]) => ({
      schema: chance === 0 ? { ...schema, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } : schema,
      value: fc.oneof({ arbitrary: value, weight: 12 }, { arbitrary: anything, weight: 1 }),
    }));
}

/** Alternatives: as a list of them, by types, or by which member is required. A value has any one of them, or none. */
function choice(depth: number): Part {
  const branches = fc.array(fc.oneof(group(depth), part(depth)), { minLength: 2, maxLength: 3 });
  return fc.tuple(branches, fc.constantFrom('oneOf', 'anyOf', 'types', 'members')).map(([parts, word]) => {
    if (word === 'types') return { schema: { type: ['object', 'string', 'array'], items: { type: 'string' } }, value: anything };
    const schemas = parts.map(({ schema }) => schema);
    const value = fc.oneof(...parts.map((each) => each.value));
    if (word !== 'members') return { schema: { [word]: schemas }, value };
    const keys = KEYS.slice(0, parts.length);
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(keys.map((key, index) => [key, schemas[index]])),
        oneOf: keys.map((key) => ({ required: [key] })),
      },
      value: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 2, noNullPrototype: true }),
    };
  });
}

function group(depth: number): Part {
  return fc
    .record({
      members: fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), part(depth)), { selector: ([key]) => key, maxLength: 4, minLength: 1 }),
      open: fc.boolean(),
      required: fc.subarray(KEYS),
    })
    .map(({ members, open, required }) => ({
      schema: {
        type: 'object',
        required,
        properties: Object.fromEntries(members.map(([key, { schema }]) => [key, schema])),
        ...(open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      },
      value: fc
        .tuple(
          fc.tuple(
            ...members.map(([key, { value }]) =>
              fc.option(
                value.map((member) => [key, member] as const),
                { nil: undefined },
              ),
            ),
          ),
          fc.option(anything),
        )
        .map(([entries, extra]) =>
          Object.fromEntries([...entries.filter((entry) => entry !== undefined), ...(extra === null ? [] : [['unknown', extra] as const])]),
        ),
    }));
}

/** Schemas of objects with values. */
export const generatedForm: fc.Arbitrary<Generated> = group(2).chain(({ schema, value }) =>
  value.map((values) => ({ schema, values: plain(values) as JsonObject })),
);

/** As JSON has it: no `-0`. */
export function plain(value: unknown): Json {
  return parseJson(stringifyJson(value));
}
