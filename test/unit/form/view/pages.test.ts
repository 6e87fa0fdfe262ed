import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormMode, FormModel } from '../../../../src/form/model/form-node.ts';
import { applyFormOp, pressedOp } from '../../../../src/form/input/apply-form-op.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { submit, views } from '../submit.ts';

const FIELDS = 300;

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    ...Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`p${n}`, { type: 'string' }])),
    backup: {
      type: 'object',
      properties: {
        schedule: { type: 'string', description: 'When copies are made' },
        ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`b${n}`, { type: 'string' }])),
      },
    },
  },
};

const model = (mode: FormMode = 'create'): FormModel => buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode });
const send = (form: FormModel, fields: URLSearchParams, base: Json = {}): URLSearchParams =>
  submit(views.render('parts/form', formView(form, { fields, base, faults: [] })));
const press = (form: FormModel, fields: URLSearchParams, op: string, base: Json = {}): URLSearchParams =>
  send(form, applyFormOp(form, fields, { op, base }).fields, base);

test('What was typed on one page is still there after turning the pages', () => {
  const form = model();
  let fields = send(form, new URLSearchParams());
  fields.set('v.spec.p3', 'first');
  fields = press(form, fields, 'page:2');
  assert.equal(fields.get('_page'), '2');
  fields.set('v.spec.p100', 'second');
  fields = press(form, press(form, fields, 'page:3'), 'page:1');
  assert.deepEqual(formToValues(form, fields, {}).values, { p3: 'first', p100: 'second' });
});

test('A live value that was emptied on one page stays away when another page is sent', () => {
  const base = { p3: 'here', p100: 'there' };
  const form = model('edit');
  const fields = send(form, valuesToFields(form, base), base);
  fields.set('v.spec.p3', '');
  assert.deepEqual(formToValues(form, press(form, fields, 'page:2', base), base).values, { p100: 'there' });
});

test('Every field is on exactly one page', () => {
  const form = model();
  const seen: string[] = [];
  let fields = send(form, new URLSearchParams());
  const { pages } = formView(form, { fields, base: {}, faults: [] }).pager;
  for (let page = 1; page <= pages; page += 1) {
    fields = press(form, fields, `page:${page}`);
    seen.push(...[...fields.keys()].filter((name) => name.startsWith('v.spec.p')));
  }
  assert.ok(pages > 2);
  assert.equal(new Set(seen).size, FIELDS);
  assert.equal(seen.length, FIELDS);
});

for (const { world, query, names } of [
  { world: 'A search finds a field within a closed group by its description', query: 'copies MADE', names: ['v.spec.backup.schedule'] },
  { world: 'A search finds a field by its path', query: 'backup.b7', names: ['v.spec.backup.b7'] },
  { world: 'A search for what is not there finds nothing', query: 'nothing like it', names: [] },
]) {
  test(world, () => {
    const form = model();
    const fields = send(form, new URLSearchParams());
    fields.set('v.spec.p3', 'typed');
    fields.set('_q', query);
    const found = press(form, fields, 'search');
    assert.deepEqual(
      [...found.keys()].filter((name) => name.startsWith('v.') && name !== 'v.spec.p3'),
      names,
    );
    assert.deepEqual(formToValues(form, found, {}).values, { p3: 'typed' });
  });
}

test('The Enter key in the search box searches, and a button does what it says', () => {
  const fields = send(model(), new URLSearchParams());
  assert.equal(pressedOp(fields), null);
  fields.set('_q', 'schedule');
  assert.equal(pressedOp(fields), 'search');
  fields.set('_do', 'install');
  assert.equal(pressedOp(fields), null);
});

test('What is wrong is on the page, whichever page it belongs to', () => {
  const { all } = formView(model(), { fields: new URLSearchParams(), base: {}, faults: [{ field: 'spec.p299', message: 'No' }] });
  assert.equal(all[0]?.path, 'spec.p299');
  assert.equal(all[0].error, 'No');
});
