import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { validateValue } from '../../../src/domain/upgrade/crd-safety/validate-value.ts';
import { boundSchema } from '../../../src/schema/structural/bound-schema.ts';
import { chartStructure } from '../../../src/schema/structural/chart-structure.ts';
import { structuralSchema } from '../../../src/schema/structural/structural-schema.ts';
import { valueFaults } from '../../../src/schema/values/value-faults.ts';
import { ODD_SCHEMAS } from '../../support/odd-schemas.ts';
import { runs } from '../../support/runs.ts';
import { SCHEMA_FOLDERS } from '../../support/schemas.ts';

const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

describe('the structural schema of a JSON Schema', () => {
  const cases: readonly { title: string; schema: JsonObject; structure: JsonObject }[] = [
    {
      title: 'what it can say is converted, without defaults and requirements',
      schema: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string', minLength: 1, default: 'a', description: 'The name.' } },
      },
      structure: {
        type: 'object',
        nullable: true,
        properties: { name: { type: 'string', minLength: 1, nullable: true, description: 'The name.' } },
      },
    },
    {
      title: 'rows of lists are whole, so what they require counts',
      schema: { type: 'array', items: { type: 'object', required: ['a'], properties: { a: { type: ['integer', 'string'] } } } },
      structure: {
        type: 'array',
        nullable: true,
        items: { type: 'object', required: ['a'], properties: { a: { 'x-kubernetes-int-or-string': true } }, ...ANYTHING },
      },
    },
    {
      title: 'limits of all drafts become those of OpenAPI',
      schema: {
        allOf: [
          { type: 'integer', exclusiveMinimum: 0 },
          { maximum: 9, exclusiveMaximum: true },
        ],
      },
      structure: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    },
    {
      title: 'a pattern that Go reads in another way is left out',
      schema: { type: 'string', pattern: '^(?!a)\\s$' },
      structure: { type: 'string', nullable: true },
    },
    {
      title: 'options are a pattern where null may be, which the api-server takes for no option',
      schema: { properties: { a: { enum: ['a.b', 'c', 1] }, b: { type: 'string', enum: ['a.b', 'c'] } } },
      structure: {
        nullable: true,
        ...ANYTHING,
        properties: { a: { nullable: true, ...ANYTHING }, b: { type: 'string', nullable: true, pattern: String.raw`^(?:a\.b|c)$` } },
      },
    },
    {
      title: 'a recursion ends',
      schema: { type: 'object', properties: { next: { $ref: '#' } } },
      structure: {
        type: 'object',
        nullable: true,
        ...ANYTHING,
        properties: { next: { type: 'object', nullable: true, ...ANYTHING, properties: { next: ANYTHING } } },
      },
    },
  ];
  for (const { title, schema, structure } of cases) it(title, () => assert.deepEqual(structuralSchema(schema), structure));

  it('takes and keeps every value that the JSON Schema takes', () => {
    fc.assert(
      fc.property(schemas(2), anyValue, fc.nat(), (schema, any, from) => {
        const samples = samplesOf(schema, any);
        for (const value of [any, ...[0, 1, 2, 3].map((step) => samples[(from + 7 * step) % samples.length] ?? any)]) {
          const { faults, unchecked } = valueFaults(schema, value);
          if (faults.length > 0 || unchecked !== undefined) continue;
          assert.deepEqual(validateValue(structuralSchema(schema), value), [], JSON.stringify({ schema, value }));
        }
      }),
      { numRuns: runs(30) },
    );
  });

  for (const { title, schema, values } of ODD_SCHEMAS) {
    it(`takes the values of ${title}`, () => {
      for (const value of values) assert.deepEqual(validateValue(structuralSchema(schema), value), [], JSON.stringify(value));
    });
  }
});

describe('the structural schema of a chart', () => {
  for (const folder of SCHEMA_FOLDERS.map((one) => join(one, 'charts')).filter((one) => existsSync(one))) {
    for (const file of readdirSync(folder).filter((one) => one.endsWith('.values.yaml'))) {
      it(`takes the values of ${file}, with its schema and without`, () => {
        const name = file.replace(/\.values\.yaml$/, '');
        const valuesText = readFileSync(join(folder, file), 'utf8');
        const values = (parse(valuesText) ?? {}) as JsonObject;
        const schemaFile = ['json', 'yaml'].map((type) => join(folder, `${name}.schema.${type}`)).find((one) => existsSync(one));
        const schema = schemaFile === undefined ? undefined : (parse(readFileSync(schemaFile, 'utf8')) as JsonObject);
        const chart = { metadata: { dependencies: [] }, values, valuesText, subcharts: [], ciValues: [] };
        for (const source of [chart, ...(schema === undefined ? [] : [{ ...chart, schema }])]) {
          assert.deepEqual(validateValue(chartStructure(source), values), []);
        }
      });
    }
  }

  it('has the values of subcharts below their names, global, and room for what ci/ sets', () => {
    const closed = { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } };
    const structure = chartStructure({
      metadata: { dependencies: [{ name: 'redis', version: '1', alias: 'cache' }] },
      values: { a: 'x' },
      valuesText: '',
      schema: closed,
      subcharts: [{ name: 'redis', version: '1.0.0', dependencies: [], values: {}, schema: closed, subcharts: [] }],
      ciValues: [{ a: 3, cache: { b: 1 } }],
    });
    const values = [{ a: 3 }, { a: 'y', cache: { a: 'x', b: 1 } }, { global: { any: 1 } }];
    for (const value of values) assert.deepEqual(validateValue(structure, value), []);
    assert.equal(validateValue(structure, { unknown: 1 }).length, 1);
    assert.equal(validateValue(structure, { cache: { a: 1 } }).length, 1);
  });
});

describe('the bounds of a structural schema', () => {
  it('what is too large is widened from the deepest level', () => {
    const leaf = { type: 'string', description: 'x'.repeat(100) };
    const schema = { type: 'object', properties: { a: { type: 'object', properties: { b: leaf, c: leaf } }, d: { type: 'boolean' } } };
    assert.deepEqual(boundSchema(schema, { bytes: 1_000, nodes: 3 }), {
      type: 'object',
      properties: { a: { type: 'object', ...ANYTHING }, d: { type: 'boolean' } },
    });
    assert.equal(boundSchema(schema), schema);
  });
});

/** Schemas as strange as charts have them. */
function schemas(depth: number): fc.Arbitrary<JsonObject> {
  const names = fc.constantFrom('a', 'b', '__proto__', 'ü', 'a.b');
  const below = depth === 0 ? fc.constant<JsonObject>({}) : fc.oneof(fc.constant<JsonObject>({}), schemas(depth - 1));
  const type = fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', 'null');
  return fc.record<Record<string, Json>>(
    {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      properties: fc.dictionary(names, below, { maxKeys: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), below),
      patternProperties: fc.constant<Json>({ '^a': {} }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      items: below,
      minItems: fc.integer({ min: 0, max: 2 }),
      enum: fc.uniqueArray(fc.oneof(names, fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(null)), {
        minLength: 1,
      }),
      const: fc.oneof(names, fc.constant(null)),
      minimum: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(1e30)),
      exclusiveMaximum: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(0.5)),
      multipleOf: fc.constantFrom(1, 2, 0.5, 2.5),
      minLength: fc.constantFrom(0, 1, 1.5),
      pattern: fc.constantFrom('^a', '\\s', '[^a]$', '^\\p{L}', '(?=a)'),
      oneOf: fc.array(below, { minLength: 1, maxLength: 3 }),
      anyOf: fc.array(below, { minLength: 1, maxLength: 3 }),
      allOf: fc.array(below, { minLength: 1, maxLength: 2 }),
      not: below,
      if: below,
      nullable: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

/** Values that have a chance to fit. */
function samplesOf(schema: JsonObject, any: Json): Json[] {
  const names = ['a', 'b', '__proto__', 'ü', 'z'];
  const maps = names.map((name) => Object.fromEntries([[name, any]]) as Json);
  const leaves: Json[] = ['a', 'ab', 1, 2, 0.5, true, null, {}, [], ['a'], [{ a: 1 }]];
  const deep = leaves.flatMap((leaf) => [{ a: leaf }, { b: leaf, a: {} }, [leaf], { a: { b: leaf } }] as Json[]);
  return [...leaves, ...maps, ...deep, ...((schema['enum'] as Json[] | undefined) ?? [])];
}
