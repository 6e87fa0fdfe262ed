import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormMode, FormModel } from '../../../../src/form/model/form-node.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { prefill } from '../../../../src/form/input/prefill.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { submit, views } from '../submit.ts';

const text = { type: 'string' };

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    store: {
      description: 'Where copies are kept',
      oneOf: [
        {
          title: 'Bucket',
          type: 'object',
          required: ['type', 'bucket'],
          properties: { type: { const: 's3' }, bucket: text, password: text },
        },
        {
          title: 'Volumes',
          type: 'object',
          required: ['type'],
          properties: {
            type: { const: 'volume' },
            classes: {
              type: 'object',
              additionalProperties: {
                type: 'object',
                properties: { rules: { type: 'array', items: { type: 'object', properties: { path: text, size: { type: 'integer' } } } } },
              },
            },
          },
        },
        { title: 'Elsewhere', type: 'string' },
      ],
    },
  },
};

const model = (mode: FormMode = 'create'): FormModel => buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode });
const page = (form: FormModel, fields: URLSearchParams, base: Json = {}): string =>
  views.render('parts/form', formView(form, { fields, base, faults: [] }));
const press = (form: FormModel, fields: URLSearchParams, op: string, base: Json = {}): URLSearchParams =>
  submit(page(form, applyFormOp(form, fields, { op, base }).fields, base));

for (const { world, store, branch } of [
  { world: 'A value with the constant of a branch has that branch', store: { type: 'volume' }, branch: '1' },
  { world: 'A constant outweighs the members of another branch', store: { type: 's3', classes: {} }, branch: '0' },
  { world: 'Members tell a branch where the constant is missing', store: { bucket: 'copies' }, branch: '0' },
  { world: 'A text has the branch of texts', store: 'there', branch: '2' },
  { world: 'A value of no branch has none, and is shown as YAML', store: [1, 2], branch: null },
] as const) {
  test(world, () => {
    const fields = valuesToFields(model(), { store });
    assert.equal(fields.get('b.spec.store'), branch);
    assert.equal(fields.has('y.spec.store'), branch === null);
    assert.deepEqual(formToValues(model(), fields, {}).values, { store });
  });
}

test('A list of objects inside a map inside a branch is filled in by buttons alone', () => {
  const form = model();
  let fields = press(form, submit(page(form, new URLSearchParams())), 'branch:spec.store:1');
  fields = press(form, fields, 'add:spec.store.classes');
  fields.set('k.spec.store.classes[0]', 'fast/ssd');
  fields = press(form, fields, 'add:spec.store.classes[0].rules');
  fields = press(form, fields, 'add:spec.store.classes[0].rules');
  fields.set('v.spec.store.classes[0].rules[0].path', '/a');
  fields.set('v.spec.store.classes[0].rules[1].size', '3');
  fields = press(form, fields, 'up:spec.store.classes[0].rules:1');
  const { values, faults } = formToValues(form, fields, {});
  assert.deepEqual(faults, []);
  assert.deepEqual(values, { store: { type: 'volume', classes: { 'fast/ssd': { rules: [{ size: 3 }, { path: '/a' }] } } } });
});

test('A branch that was chosen asks for what it requires, and the branches that were not do not', () => {
  const form = model();
  const fields = press(form, submit(page(form, new URLSearchParams())), 'branch:spec.store:0');
  assert.deepEqual(
    formToValues(form, fields, {}).faults.map(({ field }) => field),
    ['spec.store.bucket'],
  );
  assert.deepEqual(formToValues(form, press(form, fields, 'branch:spec.store'), {}), {
    values: {},
    faults: [],
    drafts: press(form, fields, 'branch:spec.store'),
  });
});

test('Another branch takes nothing over from the live value of the first one', () => {
  const base = { store: { type: 's3', bucket: 'copies', password: 'hunter2' } };
  const form = model('edit');
  const fields = press(form, submit(page(form, valuesToFields(form, base), base)), 'branch:spec.store:1', base);
  assert.deepEqual(formToValues(form, fields, base).values, { store: { type: 'volume' } });
});

test('A live secret within a branch is not in the page, and stays', () => {
  const base = { store: { type: 's3', bucket: 'copies', password: 'hunter2' } };
  const form = model('edit');
  const html = page(form, valuesToFields(form, base), base);
  assert.doesNotMatch(html, /hunter2/);
  const asYaml = press(form, submit(html), 'yaml:spec.store', base);
  assert.doesNotMatch(asYaml.get('y.spec.store') ?? '', /hunter2/);
  assert.deepEqual(formToValues(form, asYaml, base).values, base);
  assert.deepEqual(formToValues(form, press(form, asYaml, 'fields:spec.store', base), base).values, base);
});

test('A link fills in a branch', () => {
  const link = new URLSearchParams('v.spec.store.classes.fast.rules[0].path=/a&v.spec.store.type=volume');
  assert.deepEqual(prefill(model(), link), { store: { classes: { fast: { rules: [{ path: '/a' }] } }, type: 'volume' } });
});
