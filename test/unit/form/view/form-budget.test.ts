import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormMode, FormModel } from '../../../../src/form/model/form-node.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { plain } from '../generated-forms.ts';
import { submit, views } from '../submit.ts';

const leaf = { type: 'string', description: `A text. ${'It is described at length. '.repeat(200)}` };
const rowsOf = (properties: JsonObject): JsonObject => ({ type: 'array', items: { type: 'object', properties } });
const mapOf = (properties: JsonObject): JsonObject => ({ type: 'object', additionalProperties: { type: 'object', properties } });
const modelOf = (properties: JsonObject, mode: FormMode = 'create'): FormModel =>
  buildForm({ schema: { type: 'object', properties }, root: 'spec', curated: [], mode });
const leaves = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, leaf]));

const nested = (kind: typeof rowsOf): FormModel => modelOf({ a: kind({ b: kind({ c: leaf }) }) });
const counts = (rows: number): URLSearchParams => {
  const fields = new URLSearchParams({ 'n.spec.a': String(rows) });
  for (let row = 0; row < rows; row += 1) fields.append(`n.spec.a[${row}].b`, '2000');
  return fields;
};

/** Every form here is small as a body, and large as values. */
const TOO_LARGE: Readonly<
  Record<string, { readonly model: FormModel; readonly fields: URLSearchParams; readonly base?: Json; readonly field: string }>
> = {
  'rows of lists within lists': { model: nested(rowsOf), fields: counts(50), field: 'spec.a[4].b' },
  'rows of maps within maps': { model: nested(mapOf), fields: counts(50), field: 'spec.a[4].b' },
  'many lists beside each other': {
    model: modelOf(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`l${n}`, rowsOf({ a: leaf })]))),
    fields: new URLSearchParams(Array.from({ length: 10 }, (_, n): [string, string] => [`n.spec.l${n}`, '2000'])),
    field: 'spec.l5',
  },
  'rows of many fields': {
    model: modelOf({ a: rowsOf(leaves(1000)) }),
    fields: new URLSearchParams({ 'n.spec.a': '2000' }),
    field: 'spec.a[',
  },
  'one live row many times': {
    model: modelOf({ a: rowsOf({ b: leaf, more: { type: 'object' } }) }, 'edit'),
    fields: new URLSearchParams([
      ['n.spec.a', '2000'],
      ...Array.from({ length: 2000 }, (_, row): [string, string] => [`o.spec.a[${row}]`, '0']),
    ]),
    base: { a: [{ more: { text: 'x'.repeat(100_000) } }] },
    field: 'spec.a[',
  },
};

for (const [what, { model, fields, base = {}, field }] of Object.entries(TOO_LARGE)) {
  test(`A form of ${what} is too large, and the field is named`, () => {
    assert.throws(
      () => formToValues(model, fields, base),
      (error) => isAppError(error, 'TooLarge') && (error.faults[0]?.field ?? '').startsWith(field) && error.message.includes(field),
    );
  });
}

test('A list of two hundred large rows is read whole', () => {
  const model = modelOf({ a: rowsOf(leaves(150)) });
  const value = { a: Array.from({ length: 200 }, (_, row) => ({ p0: `row ${row}`, p149: 'last' })) };
  assert.deepEqual(plain(formToValues(model, valuesToFields(model, value), {}).values), value);
});

for (const mode of ['create', 'edit'] as const) {
  test(`A form (${mode}) of which the page shows a part holds what it held`, () => {
    const model = modelOf({ a: rowsOf({ b: rowsOf({ c: rowsOf({ d: leaf, e: leaf }) }), m: mapOf({ f: leaf }) }) }, mode);
    const inner = { c: Array.from({ length: 9 }, (_, row) => ({ d: `d${row}`, e: '' })) };
    const row = { b: Array.from({ length: 9 }, () => inner), m: { key: { f: 'x' }, '': {} } };
    const values = { a: Array.from({ length: 9 }, () => row) };
    const base = mode === 'edit' ? values : {};
    const fields = valuesToFields(model, values);
    for (let one = 0; one < 9; one += 1) {
      const opened = ['a', `a[${one}].b`, `a[${one}].m`, ...Array.from({ length: 9 }, (_, other) => `a[${one}].b[${other}].c`)];
      for (const path of opened) fields.set(`x.spec.${path}`, '1');
    }
    const view = formView(model, { fields, base, faults: [] });
    assert.match(view.leftOut, /more fields are in the rows and groups of this page/);
    const html = views.render('parts/form', view);
    assert.ok(html.length < 6_000_000, `${html.length} characters`);
    assert.deepEqual(plain(formToValues(model, submit(html), base).values), values);
  });
}
