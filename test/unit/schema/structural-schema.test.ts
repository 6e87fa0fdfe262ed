import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { schemaOf } from '../../../src/domain/catalog/app-catalog.ts';
import { generatedCrd } from '../../../src/domain/app-definition/generated-crd.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { validateValue } from '../../../src/domain/upgrade/crd-safety/validate-value.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { appForm } from '../../../src/form/model/app-form.ts';
import { embedChartValues } from '../../../src/schema/embed-chart-values.ts';
import { boundSchema } from '../../../src/schema/structural/bound-schema.ts';
import { chartStructure } from '../../../src/schema/structural/chart-structure.ts';
import { structuralSchema } from '../../../src/schema/structural/structural-schema.ts';
import { valueFaults } from '../../../src/schema/values/value-faults.ts';
import { ODD_SCHEMAS } from '../../support/odd-schemas.ts';
import { runs } from '../../support/runs.ts';
import { type OfferedChart, offeredCharts } from '../../support/offered-charts.ts';
import { samplesOf, schemas } from '../../support/json-schemas.ts';
import { plain } from '../form/generated-forms.ts';

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
          assert.deepEqual(validateValue(structuralSchema(schema), value), [], stringifyJson({ schema, value }));
        }
      }),
      { numRuns: runs(30) },
    );
  });

  for (const { title, schema, values } of ODD_SCHEMAS) {
    it(`takes the values of ${title}`, () => {
      for (const value of values) assert.deepEqual(validateValue(structuralSchema(schema), value), [], stringifyJson(value));
    });
  }
});

describe('the structural schema of a chart', () => {
  it('takes the values of every chart, and its form loses none of them', async (t) => {
    for (const chart of await offeredCharts()) await t.test(chart.name, () => takesValuesOf(chart));
  });

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

/** The App of a chart, with the chart's own schema in the CRD, as its form has it. */
function generated(values: JsonObject, source: OfferedChart['source']): Parameters<typeof appForm>[0] {
  const names = { kind: 'Web', plural: 'webs', singular: 'web', shortNames: [] };
  const crd = generatedCrd({ definition: 'web', names, description: '', values, revision: 'web-1' });
  const schema = embedChartValues(schemaOf(crd, 'v1alpha1'), source);
  return { schema, fields: [], defaults: {}, group: 'apps.chandlery.dev', plural: 'webs', kind: 'Web', relatedApps: [] };
}

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

function takesValuesOf({ source, samples }: OfferedChart): void {
  const structure = chartStructure(source);
  const app = generated(structure, source);
  for (const values of samples) {
    assert.deepEqual(validateValue(structure, values), []);
    const model = appForm(app, 'edit');
    const content = { spec: { values } };
    // Secrets never reach a page; those of the instance stay.
    assert.deepEqual(plain(formToValues(model, valuesToFields(model, content), content).values), content);
  }
}
