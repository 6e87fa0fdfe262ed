import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { FieldFault } from '../../../../src/domain/core/errors.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormMode, FormModel } from '../../../../src/form/model/form-node.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { runs } from '../../../support/runs.ts';
import { plain } from '../generated-forms.ts';
import { submit, submitView, tagsOf, views } from '../submit.ts';

const ROWS = 1000;

const user = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    password: { type: 'string' },
    age: { type: 'integer', nullable: true },
    roles: { type: 'array', items: { type: 'string' } },
  },
};
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    tags: { type: 'array', items: { type: 'string' } },
    users: { type: 'array', items: user },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    pools: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    frozen: { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
  },
};

const modelOf = (mode: FormMode): FormModel => buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode });
const render = (model: FormModel, fields: URLSearchParams, base: Json, faults: readonly FieldFault[] = []): string =>
  views.render('parts/form', formView(model, { fields, base, faults }));
const send = (model: FormModel, fields: URLSearchParams, base: Json): URLSearchParams =>
  submitView(formView(model, { fields, base, faults: [] }), render(model, fields, base));
const press = (model: FormModel, fields: URLSearchParams, op: string, base: Json = {}): URLSearchParams =>
  send(model, applyFormOp(model, fields, { op, base }).fields, base);
const tags = (count: number): string[] => Array.from({ length: count }, (_, row) => `tag-${row}`);
const shownTags = (html: string): string[] =>
  tagsOf(html).flatMap(({ tag, attributes }) =>
    tag === 'input' && attributes.get('type') === 'text' && attributes.get('name')?.startsWith('v.spec.tags[') === true
      ? [attributes.get('value') ?? '']
      : [],
  );

const text = fc.oneof(fc.constantFrom('', 'a', 'null', '5', 'a\nb', ' '), fc.string({ maxLength: 6 }));
const longValues = fc
  .record({
    tags: fc.array(text, { minLength: ROWS, maxLength: ROWS }),
    users: fc.array(
      fc.record(
        { name: text, password: text, age: fc.option(fc.integer()), roles: fc.array(text, { maxLength: 2 }) },
        { requiredKeys: [] },
      ),
      { minLength: 150, maxLength: 300 },
    ),
    labels: fc.integer({ min: 1, max: ROWS }).map((count) => Object.fromEntries(tags(count).map((tag) => [`k/${tag}`, tag]))),
    pools: fc.array(text, { maxLength: 120 }).map((pool) => ({ 'a.b': pool })),
    frozen: fc.array(text, { minLength: 60, maxLength: 200 }),
  })
  .map((values) => plain(values) as JsonObject);

for (const mode of ['create', 'edit'] as const) {
  test(`A ${mode} form of a thousand rows that is turned to any page holds what it held`, () => {
    const model = modelOf(mode);
    fc.assert(
      fc.property(
        longValues,
        fc.array(fc.constantFrom('tags:7', 'tags:20', 'users:3', 'labels:2', 'pools[0]:2', 'frozen:2'), { maxLength: 3 }),
        (values, turns) => {
          const base = mode === 'edit' ? values : {};
          const first = send(model, valuesToFields(model, values), base);
          const fields = turns.reduce((sent, turn) => press(model, sent, `rows:spec.${turn}`, base), first);
          const read = formToValues(model, fields, base);
          assert.deepEqual(plain(read.values), values);
          assert.equal(
            [...fields.keys()].filter((name) => name.startsWith('y.')).length,
            [...first.keys()].filter((name) => name.startsWith('y.')).length,
          );
        },
      ),
      { numRuns: runs(2), endOnFailure: true },
    );
  });
}

test('A page shows fifty rows, and the way to the others', () => {
  const model = modelOf('create');
  const html = render(model, valuesToFields(model, { tags: tags(ROWS) }), {});
  assert.deepEqual(shownTags(html), tags(50));
  assert.match(html, /Rows 1 to 50 of 1000/);
  assert.match(html, /value="rows:spec\.tags:20"/);
});

test('The page that is chosen in the box is shown', () => {
  const model = modelOf('create');
  const fields = send(model, valuesToFields(model, { tags: tags(120) }), {});
  fields.set('p.spec.tags', '3');
  assert.deepEqual(
    shownTags(render(model, applyFormOp(model, fields, { op: 'rows:spec.tags', base: {} }).fields, {})),
    tags(120).slice(100),
  );
});

test('What is typed on one page is still there after turning the pages', () => {
  const model = modelOf('create');
  let fields = send(model, valuesToFields(model, { tags: tags(120) }), {});
  fields.set('v.spec.tags[7]', 'typed');
  fields = press(model, fields, 'rows:spec.tags:3');
  fields.set('v.spec.tags[119]', 'last');
  fields = press(model, fields, 'rows:spec.tags:1');
  const wanted = tags(120).with(7, 'typed').with(119, 'last');
  assert.deepEqual(formToValues(model, fields, {}).values, { tags: wanted });
});

test('A row is added at the end, and its page is shown', () => {
  const model = modelOf('create');
  const fields = press(model, send(model, valuesToFields(model, { tags: tags(100) }), {}), 'add:spec.tags');
  assert.equal(fields.get('p.spec.tags'), '3');
  fields.set('v.spec.tags[100]', 'new');
  assert.deepEqual(formToValues(model, fields, {}).values, { tags: [...tags(100), 'new'] });
});

test('A row that moves over the edge of a page takes the page along', () => {
  const model = modelOf('create');
  const fields = press(model, send(model, valuesToFields(model, { tags: tags(100) }), {}), 'down:spec.tags:49');
  assert.equal(fields.get('p.spec.tags'), '2');
  assert.deepEqual(formToValues(model, fields, {}).values, { tags: tags(100).with(49, 'tag-50').with(50, 'tag-49') });
});

test('When the last row of the last page is removed, the page before is shown', () => {
  const model = modelOf('create');
  const onLast = press(model, send(model, valuesToFields(model, { tags: tags(101) }), {}), 'rows:spec.tags:3');
  const html = render(model, applyFormOp(model, onLast, { op: 'remove:spec.tags:100', base: {} }).fields, {});
  assert.deepEqual(shownTags(html), tags(100).slice(50));
});

test('Rows of other pages that have to be corrected are shown, with the way to their page', () => {
  const model = modelOf('create');
  const faults = [{ field: 'spec.tags[77]', message: 'Too short' }];
  const html = render(model, valuesToFields(model, { tags: tags(120) }), {}, faults);
  assert.deepEqual(shownTags(html), [...tags(50), 'tag-77']);
  assert.match(html, /id="f-spec-tags-77"/);
  assert.match(html, /value="rows:spec\.tags:2"[^>]*>Go to its page/);
  assert.deepEqual(formToValues(model, submit(html), {}).values, { tags: tags(120) });
});

test('Secrets move with their rows over pages', () => {
  const model = modelOf('edit');
  const users = Array.from({ length: 120 }, (_, row) => ({ name: `u${row}`, password: `p${row}` }));
  const base = { users };
  const { size } = pageOf(render(model, valuesToFields(model, base), base));
  const fields = press(model, send(model, valuesToFields(model, base), base), `down:spec.users:${size - 1}`, base);
  const wanted = users.with(size - 1, users[size] ?? fail()).with(size, users[size - 1] ?? fail());
  assert.deepEqual(formToValues(model, fields, base).values, { users: wanted });
  assert.doesNotMatch(render(model, fields, base), /p1\b/);
});

test('A list of more inputs than a form may have is YAML, and comes back whole', () => {
  const model = modelOf('create');
  const users = Array.from({ length: 1900 }, (_, row) => ({ name: `u${row}`, password: 'x', age: row, roles: ['a', 'b', 'c'] }));
  const fields = valuesToFields(model, { users });
  assert.ok(fields.has('y.spec.users'));
  assert.deepEqual(formToValues(model, fields, {}).values, { users });
});

function pageOf(html: string): { size: number } {
  return { size: Number(/Rows 1 to (\d+) of/.exec(html)?.[1]) };
}

function fail(): never {
  throw new Error('there is no such row');
}
