import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as Ajv4 } from 'ajv-draft-04';
import * as fc from 'fast-check';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormModel } from '../../../../src/form/model/form-node.ts';
import { valueFaults } from '../../../../src/schema/values/value-faults.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { runs } from '../../../support/runs.ts';
import { addressOf, DRAFTS, samplesOf, type Draft } from './draft-schemas.ts';

const RUNS = { numRuns: runs(40) };
/** To compile a schema twice takes its time. */
const FEW_RUNS = { numRuns: runs(25) };

for (const draft of DRAFTS) {
  test(`Every leaf of a schema in the words of ${draft} is reached`, () => {
    fc.assert(
      fc.property(samplesOf(draft), ({ schema }) => {
        assert.deepEqual(coverage(schema, formOf(schema)).unreachable, []);
      }),
      RUNS,
    );
  });

  test(`Values come back from a form of ${draft} as they were, and an untouched one has none`, () => {
    fc.assert(
      fc.property(samplesOf(draft), ({ schema, value }) => {
        const model = formOf(schema);
        assert.deepEqual(plain(formToValues(model, valuesToFields(model, value), {}).values), plain(value));
        assert.deepEqual(formToValues(model, valuesToFields(model, {}), {}).values, {});
      }),
      RUNS,
    );
  });

  test(`What a form of ${draft} rejects, a validator of that draft rejects; what it lets through is accepted, or the fault is reported`, () => {
    fc.assert(
      fc.property(samplesOf(draft), ({ schema, value }) => {
        const model = formOf(schema);
        const { values, faults } = formToValues(model, valuesToFields(model, value), {});
        const accepted = accepts(draft, schema, values);
        if (accepted) assert.deepEqual(faults, []);
        const found = valueFaults(schema, values);
        assert.equal(found.unchecked, undefined);
        assert.equal(found.faults.length === 0, accepted, stringifyJson(found.faults));
      }),
      FEW_RUNS,
    );
  });
}

/** By a validator as its authors ship it, with the patterns of the language. */
function accepts(draft: Draft, { $schema, ...schema }: JsonObject, values: Json): boolean {
  assert.equal($schema, addressOf(draft));
  const options = { strict: false, validateFormats: false, ownProperties: true, logger: false } as const;
  switch (draft) {
    case 'draft-04':
      return new Ajv4.default(options).compile(schema)(values);
    case 'draft-06':
    case 'draft-07':
      return new Ajv(options).compile(schema)(values);
    case '2019-09':
      return new Ajv2019(options).compile(schema)(values);
    case '2020-12':
      return new Ajv2020(options).compile(schema)(values);
    default:
      return draft satisfies never;
  }
}

function formOf(schema: JsonObject): FormModel {
  return buildForm({ schema, root: 'values', curated: [], mode: 'create' });
}

function plain(value: Json): unknown {
  return JSON.parse(stringifyJson(value));
}
