import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { submit, tagsOf, views } from '../submit.ts';

const user = { type: 'object', properties: { name: { type: 'string' }, roles: { type: 'array', items: { type: 'string' } } } };
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    tags: { type: 'array', items: { type: 'string' } },
    users: { type: 'array', items: user },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    store: {
      oneOf: [
        { type: 'object', title: 'Disk', properties: { path: { type: 'string' } } },
        { type: 'object', title: 'Bucket', properties: { bucket: { type: 'string' }, password: { type: 'string' } } },
      ],
    },
    large: { type: 'object', properties: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`p${n}`, { type: 'string' }])) },
  },
};
const VALUES = {
  tags: Array.from({ length: 120 }, (_, row) => `tag-${row}`),
  users: [{ name: 'anna', roles: ['a', 'b'] }, { name: 'ben' }],
  labels: { a: '1', b: '2' },
  store: { bucket: 'b' },
};
const model = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'create' });
const render = (fields: URLSearchParams): string => views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));

interface Pressed {
  readonly op: string;
  readonly place: string;
}

/** The buttons that the server answers with the same form, and the place that the browser shows then. */
function buttonsOf(html: string): Pressed[] {
  return tagsOf(html)
    .filter(({ tag, attributes }) => tag === 'button' && attributes.get('name') === '_op' && !attributes.has('disabled'))
    .map(({ attributes }) => ({ op: attributes.get('value') ?? '', place: attributes.get('formaction') ?? '' }));
}

/** Of buttons that do the same with many rows, those of the first and of the last. */
function firstAndLast(buttons: readonly Pressed[]): readonly Pressed[] {
  const alike = Map.groupBy(buttons, ({ op }) => op.replace(/:\d+$/, ''));
  return [...alike.values()].flatMap((group) => [...group.slice(0, 1), ...group.slice(1).slice(-1)]);
}

const idsOf = (html: string): ReadonlySet<string> => new Set(tagsOf(html).map(({ attributes }) => attributes.get('id') ?? ''));

test('After each button of a form the browser shows the place that it is about', () => {
  const html = render(valuesToFields(model, VALUES));
  const buttons = buttonsOf(html).filter(({ op }) => op !== 'upload');
  assert.ok(new Set(buttons.map(({ op }) => op.split(':')[0])).size >= 8, buttons.map(({ op }) => op).join(' '));
  for (const { op, place } of firstAndLast(buttons)) {
    assert.match(place, /^#./, op);
    const after = render(applyFormOp(model, submit(html), { op, base: {} }).fields);
    assert.ok(idsOf(after).has(place.slice(1)), `${op} -> ${place}`);
  }
});

test('A row that was added is the place that is shown', () => {
  const html = render(valuesToFields(model, VALUES));
  const places = new Map(buttonsOf(html).map(({ op, place }) => [op, place]));
  assert.equal(places.get('add:spec.users'), '#f-spec-users-2');
  assert.equal(places.get('down:spec.users:0'), '#f-spec-users-1');
});
