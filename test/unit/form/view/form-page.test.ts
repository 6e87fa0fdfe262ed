import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldFault } from '../../../../src/domain/core/errors.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormMode } from '../../../../src/form/model/form-node.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { tagsOf, type Tag, views } from '../submit.ts';

interface Page {
  readonly schema: JsonObject;
  readonly values?: Json;
  readonly faults?: readonly FieldFault[];
  readonly mode?: FormMode;
  readonly curated?: readonly string[];
}

function page({ schema, values = {}, faults = [], mode = 'create', curated = [] }: Page): string {
  const model = buildForm({ schema, root: 'spec', curated, mode });
  return views.render(
    'parts/form',
    formView(model, { fields: valuesToFields(model, values), base: mode === 'edit' ? values : {}, faults }),
  );
}

function control(html: string, name: string): Tag {
  const found = tagsOf(html).find(({ attributes }) => attributes.get('name') === name);
  if (found === undefined) assert.fail(`no control "${name}"`);
  return found;
}

test('A default is shown in the empty field and never sent', () => {
  const html = page({ schema: { properties: { a: { type: 'integer', default: 3 } } } });
  const { attributes } = control(html, 'v.spec.a');
  assert.equal(attributes.get('placeholder'), 'Default: 3');
  assert.equal(attributes.get('value'), '');
});

test('The default of a secret is not shown', () => {
  assert.doesNotMatch(page({ schema: { properties: { password: { type: 'string', default: 'changeme' } } } }), /changeme/);
});

test('A fault is at its control, which says that it is invalid and where to read why', () => {
  const html = page({ schema: { properties: { a: { type: 'integer' } } }, faults: [{ field: 'spec.a', message: 'Enter 1 or more' }] });
  const { attributes } = control(html, 'v.spec.a');
  assert.equal(attributes.get('aria-invalid'), 'true');
  assert.equal(attributes.get('id'), 'f-spec-a');
  assert.match(attributes.get('aria-describedby') ?? '', /f-spec-a-error/);
  assert.match(html, /id="f-spec-a-error"/);
});

test('The fields beyond the picked ones are folded away until one of them holds a value or a fault', () => {
  const schema = { properties: { a: { type: 'string' }, b: { type: 'string' } } };
  const curated = ['spec.a'];
  const isOpen = (html: string) =>
    tagsOf(html)
      .find(({ attributes }) => attributes.get('id') === 'f-all')
      ?.attributes.has('open');
  assert.equal(isOpen(page({ schema, curated, values: { a: 'x' } })), false);
  assert.equal(isOpen(page({ schema, curated, values: { b: 'x' } })), true);
  assert.equal(isOpen(page({ schema, curated, faults: [{ field: 'spec.b', message: 'no' }] })), true);
});

test('Unset, yes and no are three choices of a boolean, and two when it is required', () => {
  const options = (schema: JsonObject) =>
    tagsOf(page({ schema })).flatMap(({ tag, attributes }) =>
      tag === 'option' || attributes.get('type') === 'radio' ? [attributes.get('value')] : [],
    );
  assert.deepEqual(options({ properties: { a: { type: 'boolean', default: true } } }), ['', 'true', 'false']);
  assert.deepEqual(options({ required: ['a'], properties: { a: { type: 'boolean' } } }), ['true', 'false']);
});

test('A field that cannot change any more is greyed and says so', () => {
  const schema = { properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } };
  const html = page({ schema, mode: 'edit', values: { a: 'x' } });
  assert.ok(control(html, 'v.spec.a').attributes.has('disabled'));
  assert.match(html, /This field is immutable/);
  assert.ok(!control(page({ schema, mode: 'edit' }), 'v.spec.a').attributes.has('disabled'));
});

test('A key that is missing is said once', () => {
  const model = buildForm({
    schema: { properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } },
    root: 'spec',
    curated: [],
    mode: 'create',
  });
  const fields = new URLSearchParams([
    ['n.spec.labels', '1'],
    ['k.spec.labels[0]', ''],
    ['v.spec.labels[0]', 'x'],
  ]);
  const { faults } = formToValues(model, fields, {});
  const html = views.render('parts/form', formView(model, { fields, base: {}, faults }));
  assert.equal(html.match(/Enter a key, or remove this row/g)?.length, 1);
});

test('Names, words and values of a hostile schema stay text', () => {
  const evil = '"><script>alert(1)</script>';
  const schema = {
    properties: {
      [evil]: { type: 'string', title: evil, description: evil, default: evil, enum: [evil, 'b'] },
      c: { type: 'string', description: evil },
    },
  };
  const html = page({ schema, values: { [evil]: evil, c: evil }, faults: [{ field: 'spec.c', message: evil }] });
  assert.doesNotMatch(html, /<script/);
});

test('A kind with eight thousand fields is a page of moderate size, which says how many pages there are', () => {
  const schema = { properties: Object.fromEntries(Array.from({ length: 8000 }, (_, n) => [`p${n}`, { type: 'string' }])) };
  const html = page({ schema, values: { p7999: 'x' } });
  assert.ok(html.length < 100_000, String(html.length));
  assert.equal(control(html, 'v.spec.p7999').attributes.get('type'), 'hidden');
  assert.match(html, /Page 1 of 100/);
});

test('The button that the Enter key presses changes no rows', () => {
  const html = page({ schema: { properties: { a: { type: 'array', items: { type: 'string' } } } }, values: { a: ['x'] } });
  const [first] = tagsOf(html).filter(({ tag, attributes }) => tag === 'button' && attributes.get('type') === 'submit');
  assert.equal(first?.attributes.get('name'), undefined);
});
