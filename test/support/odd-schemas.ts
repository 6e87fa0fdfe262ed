import type { Json, JsonObject } from '../../src/domain/kubernetes/resource.ts';

export interface OddSchema {
  readonly title: string;
  readonly schema: JsonObject;
  /** Values that the JSON Schema takes. */
  readonly values: readonly Json[];
}

const proto = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "object"}}') as JsonObject;
const protoValue = JSON.parse('{"__proto__": "x", "constructor": {"a": 1}}') as JsonObject;

/** JSON Schemas that a CustomResourceDefinition cannot have as they are. */
export const ODD_SCHEMAS: readonly OddSchema[] = [
  { title: 'type lists', schema: { type: ['string', 'number', 'null'] }, values: ['a', 1, 1.5, null] },
  { title: 'integers or texts', schema: { type: ['integer', 'string'] }, values: [1, 'a'] },
  { title: 'nullable fields', schema: { properties: { a: { type: 'string', nullable: true, enum: ['a', null] } } }, values: [{ a: null }] },
  {
    title: 'patternProperties',
    schema: { type: 'object', patternProperties: { '^a': { type: 'string' } }, additionalProperties: false },
    values: [{ a1: 'x' }],
  },
  {
    title: 'oneOf with members of its own',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' } },
      oneOf: [{ properties: { b: { type: 'integer' } }, required: ['b'] }, { required: ['a'] }],
    },
    values: [{ b: 1 }, { a: 'x' }],
  },
  {
    title: 'conditions',
    schema: JSON.parse(
      '{"type":"object","if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{"type":"string"}}},"else":{"required":["c"]}}',
    ) as JsonObject,
    values: [
      { a: 1, b: 'x' },
      { a: 2, c: [] },
    ],
  },
  {
    title: 'recursion',
    schema: {
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, also: { oneOf: [{ $ref: '#' }, { type: 'null' }] } } },
      },
      $ref: '#/$defs/node',
    },
    values: [{ next: { next: { next: { any: 1 } } }, also: { also: null } }],
  },
  { title: 'closed maps', schema: { type: 'object', additionalProperties: false, properties: { a: {} } }, values: [{ a: { b: [1] } }, {}] },
  { title: 'closed maps without members', schema: { type: 'object', additionalProperties: false }, values: [{}] },
  { title: 'open maps', schema: { type: 'object', additionalProperties: true }, values: [{ a: [1, { b: null }] }] },
  {
    title: 'maps of a schema beside members',
    schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } },
    values: [{ a: 'x', b: 1 }],
  },
  { title: 'tuples', schema: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }, values: [['a', 1, true], []] },
  {
    title: 'tuples of 2020-12',
    schema: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    values: [['a', 1]],
  },
  { title: 'lists without items', schema: { type: 'array', uniqueItems: true, contains: { const: 1 } }, values: [[1, 'a', { b: {} }]] },
  {
    title: 'nothing but null',
    schema: { properties: { a: { const: null }, b: { type: 'null' }, c: { enum: [null] } } },
    values: [{ a: null, b: null, c: null }],
  },
  {
    title: 'limits beyond 64 bits',
    schema: {
      properties: {
        a: { type: 'integer', minimum: -1e30, maximum: 1e30, multipleOf: 1 },
        b: { type: 'string', maxLength: 1e30, minLength: 0.5 },
        c: { type: 'number', exclusiveMaximum: 1e300 },
      },
    },
    values: [{ a: 5, b: 'x', c: 1.5 }],
  },
  {
    title: 'names beyond ASCII',
    schema: { properties: { 'größe.x/y': { type: 'string' }, 名前: { type: 'integer' }, 'a b': {} } },
    values: [{ 'größe.x/y': 'a', 名前: 1, 'a b': 1 }],
  },
  { title: 'names of JavaScript', schema: { type: 'object', additionalProperties: false, properties: proto }, values: [protoValue] },
  {
    title: 'references elsewhere',
    schema: { properties: { a: { $ref: 'https://example.com/a.json' }, b: { $ref: '#/nowhere' } } },
    values: [{ a: { b: 1 }, b: [] }],
  },
  {
    title: 'schemas that are booleans',
    schema: { properties: { a: true, b: false }, additionalProperties: true },
    values: [{ a: { b: 1 } }],
  },
  {
    title: 'types that do not exist',
    schema: { properties: { a: { type: 'any' }, b: { type: 'map' }, c: { type: [] } } },
    values: [{ a: 1, b: {}, c: 'x' }],
  },
  {
    title: 'draft 3',
    schema: { properties: { a: { type: 'string', required: true, divisibleBy: 2, disallow: 'x' } } },
    values: [{ a: 'x' }],
  },
  {
    title: 'patterns of ECMAScript',
    schema: {
      properties: {
        a: { type: 'string', pattern: '^(?<year>\\d{4})(?!x)' },
        b: { type: 'string', pattern: '^\\s*\\u0041' },
        c: { type: 'string', pattern: '(' },
      },
    },
    values: [{ a: '2026', b: '\u00a0A', c: 'x' }],
  },
  {
    title: 'options of several types',
    schema: { properties: { a: { enum: [1, 'a', true, null, { b: 1 }] }, b: { type: 'number', enum: [1, 2.5] } } },
    values: [{ a: { b: 1 }, b: 2.5 }, { a: true }],
  },
  {
    title: 'keywords of Kubernetes',
    schema: {
      properties: { a: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-validations': [{ rule: '(' }], type: 'array', items: {} } },
    },
    values: [{ a: [1] }],
  },
  {
    title: 'conflicting parts',
    schema: {
      properties: { a: { allOf: [{ type: 'string' }, { type: 'integer' }] }, b: { allOf: [{ minimum: 1 }, { type: 'integer' }] } },
    },
    values: [{ b: 3 }],
  },
  {
    title: 'dependencies',
    schema: {
      type: 'object',
      dependencies: { a: ['b'], c: { properties: { d: {} } } },
      dependentRequired: { a: ['b'] },
      properties: { a: {} },
    },
    values: [{ a: 1, b: 2, d: 3 }],
  },
  {
    title: 'a draft 7 reference with siblings',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { s: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    },
    values: [{ a: 'x' }],
  },
  {
    title: 'row requirements',
    schema: {
      properties: {
        a: {
          type: 'array',
          items: { type: 'object', required: ['b', 'b'], minProperties: 1, properties: { b: { type: ['null', 'string'] } } },
        },
      },
    },
    values: [{ a: [{ b: null }, { b: 'x', c: 1 }] }],
  },
];
