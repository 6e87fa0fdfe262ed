import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { curatedFromExample } from '../../../src/form/model/node-base.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import type { FormMode, FormModel } from '../../../src/form/model/form-node.ts';
import { coverage } from '../../../src/form/model/coverage.ts';
import { applyFormOp } from '../../../src/form/input/apply-form-op.ts';
import { formView } from '../../../src/form/view/form-view.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { runs } from '../../support/runs.ts';
import { generatedForm, plain } from './generated-forms.ts';
import { submitView, views } from './submit.ts';

const RUNS = { numRuns: runs(40) };

test('Values that become fields and then values again are the same values', () => {
  fc.assert(
    fc.property(generatedForm, ({ schema, values }) => {
      const model = modelOf(schema, 'create');
      assert.deepEqual(plain(formToValues(model, valuesToFields(model, values), {}).values), values);
    }),
    RUNS,
  );
});

test('A page that shows live values and is sent back untouched changes nothing', () => {
  fc.assert(
    fc.property(generatedForm, ({ schema, values }) => {
      const model = buildForm({ schema, root: 'spec', curated: curatedFromExample({ spec: values }).slice(0, 3), mode: 'edit' });
      assert.deepEqual(plain(formToValues(model, sentBack(model, valuesToFields(model, values), values), values).values), values);
    }),
    RUNS,
  );
});

test('Looking for some fields on a page of live values changes none of them', () => {
  fc.assert(
    fc.property(
      generatedForm,
      fc.constantFrom('name', 'size', 'x y', 'nothing'),
      fc.constantFrom('1', '2'),
      ({ schema, values }, query, page) => {
        const model = modelOf(schema, 'edit');
        const fields = valuesToFields(model, values);
        fields.set('_q', query);
        fields.set('_page', page);
        assert.deepEqual(plain(formToValues(model, sentBack(model, fields, values), values).values), values);
      },
    ),
    RUNS,
  );
});

test('A page of a new instance that is sent back untouched holds no values', () => {
  fc.assert(
    fc.property(generatedForm, ({ schema }) => {
      const model = modelOf(schema, 'create');
      assert.deepEqual(formToValues(model, sentBack(model, new URLSearchParams(), {}), {}).values, {});
    }),
    RUNS,
  );
});

test('Showing the whole form as YAML and turning it back into fields keeps every value, secrets included', () => {
  fc.assert(
    fc.property(generatedForm, ({ schema, values }) => {
      const model = modelOf(schema, 'edit');
      const asYaml = applyFormOp(model, valuesToFields(model, values), { op: 'yaml:spec', base: values }).fields;
      assert.deepEqual(plain(formToValues(model, sentBack(model, asYaml, values), values).values), values);
      const asFields = applyFormOp(model, sentBack(model, asYaml, values), { op: 'fields:spec', base: values }).fields;
      assert.deepEqual(plain(formToValues(model, sentBack(model, asFields, values), values).values), values);
    }),
    RUNS,
  );
});

test('What is a secret in one shape of a choice is shown in none of the others, and comes back from YAML', () => {
  const open = { type: 'object', properties: { tls: { type: 'boolean' } }, 'x-kubernetes-preserve-unknown-fields': true };
  const secrets = { type: 'object', additionalProperties: { type: 'string', format: 'password' } };
  const options = { type: 'object', additionalProperties: { enum: ['small', null] } };
  const schema: JsonObject = { type: 'object', properties: { store: { oneOf: [open, secrets, options] } } };
  const model = modelOf(schema, 'edit');
  for (const store of [{ name: null, size: 'small' }, { name: null, size: 'hunter-2' }, { size: 'hunter-2' }] as readonly JsonObject[]) {
    const values = { store };
    const shown = views.render('parts/form', formView(model, { fields: valuesToFields(model, values), base: values, faults: [] }));
    assert.doesNotMatch(shown, /hunter-2/);
    const asYaml = applyFormOp(model, valuesToFields(model, values), { op: 'yaml:spec', base: values }).fields;
    const asFields = applyFormOp(model, sentBack(model, asYaml, values), { op: 'fields:spec', base: values }).fields;
    assert.deepEqual(plain(formToValues(model, sentBack(model, asFields, values), values).values), values);
    const byHand = new URLSearchParams({ 'b.spec.store': '0', 'r.spec.store': 'size: "<masked: spec.store.size>"' });
    assert.deepEqual(formToValues(model, byHand, values).values, { store: { size: store['size'] } });
  }
});

test('A secret has the shape that it has as long as a stand-in is in its place', () => {
  const inner = { type: 'object', properties: { name: { type: 'string' } } };
  const key = { type: 'string', format: 'password' };
  const shapes = [
    { type: 'object', properties: { key: inner } },
    { type: 'object', required: ['name', 'host'], properties: { key, name: { type: 'string' }, host: { type: 'string' } } },
  ];
  const model = modelOf({ type: 'object', properties: { store: { oneOf: shapes } } }, 'edit');
  const values = { store: { key: 'hunter-2' } };
  const asYaml = applyFormOp(model, valuesToFields(model, values), { op: 'yaml:spec', base: values }).fields;
  assert.deepEqual(plain(formToValues(model, sentBack(model, asYaml, values), values).values), values);
});

test('A secret stays where its stand-in would fit another shape than the secret does', () => {
  const number = { type: 'object', properties: { key: { 'x-kubernetes-int-or-string': true }, size: { enum: ['small', 'large'] } } };
  const secret = {
    type: 'object',
    properties: { key: { type: 'string', format: 'password' } },
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const model = modelOf({ type: 'object', properties: { store: { anyOf: [number, secret] } } }, 'edit');
  const values = { store: { key: 'hunter\r\n2', size: 'small' } };
  const asYaml = applyFormOp(model, valuesToFields(model, values), { op: 'yaml:spec', base: values }).fields;
  assert.deepEqual(plain(formToValues(model, sentBack(model, asYaml, values), values).values), values);
});

test('A row that holds nothing but null stays so when YAML becomes fields', () => {
  const item = {
    type: 'object',
    properties: { name: { type: 'string' }, size: { type: 'boolean' } },
    oneOf: [{ required: ['name'] }, { required: ['size'] }],
  };
  const model = modelOf({ type: 'object', properties: { rows: { type: 'array', items: item } } }, 'edit');
  const values = { rows: [{ size: null }] };
  const asYaml = applyFormOp(model, valuesToFields(model, values), { op: 'yaml:spec', base: values }).fields;
  const asFields = applyFormOp(model, sentBack(model, asYaml, values), { op: 'fields:spec', base: values }).fields;
  assert.deepEqual(plain(formToValues(model, sentBack(model, asFields, values), values).values), values);
});

test('Every leaf of a generated schema can be reached', () => {
  fc.assert(
    fc.property(generatedForm, ({ schema }) => {
      assert.deepEqual(coverage(schema, modelOf(schema, 'create')).unreachable, []);
    }),
    RUNS,
  );
});

function modelOf(schema: JsonObject, mode: FormMode): FormModel {
  return buildForm({ schema, root: 'spec', curated: [], mode });
}

function sentBack(model: FormModel, fields: URLSearchParams, base: Json): URLSearchParams {
  const view = formView(model, { fields, base, faults: [] });
  return submitView(view, views.render('parts/form', view));
}
