import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { submit, views } from '../submit.ts';

const user = {
  type: 'object',
  properties: { name: { type: 'string' }, password: { type: 'string' }, roles: { type: 'array', items: { type: 'string' } } },
};
const SCHEMA: JsonObject = {
  properties: {
    users: { type: 'array', items: user },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    pools: { type: 'object', additionalProperties: { type: 'array', items: user } },
  },
};
const model = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'edit' });
const LIVE: JsonObject = {
  users: [
    { name: 'anna', password: 'a', roles: ['x', 'y'] },
    { name: 'ben', password: 'b', extra: 1 },
    { name: 'cleo', password: 'c' },
  ],
  labels: { a: '1', 'b.c/d': '2' },
};

/** Presses buttons one after the other; each time the page is shown and sent again, as without scripts. */
function press(...ops: readonly string[]): JsonObject {
  const fields = ops.reduce((sent, op) => show(applyFormOp(model, sent, { op, base: LIVE }).fields), show(valuesToFields(model, LIVE)));
  return formToValues(model, fields, LIVE).values;
}

function show(fields: URLSearchParams): URLSearchParams {
  return submit(views.render('parts/form', formView(model, { fields, base: LIVE, faults: [] })));
}

const [anna, ben, cleo] = LIVE['users'] as readonly JsonObject[];

const cases: readonly {
  readonly world: string;
  readonly ops: readonly string[];
  readonly users?: unknown;
  readonly labels?: unknown;
  readonly pools?: unknown;
}[] = [
  { world: 'A row moves up with all that is in it', ops: ['up:spec.users:1'], users: [ben, anna, cleo] },
  { world: 'A row moves down', ops: ['down:spec.users:0', 'down:spec.users:1'], users: [ben, cleo, anna] },
  { world: 'The first row cannot move up, nor the last one down', ops: ['up:spec.users:0', 'down:spec.users:2'], users: [anna, ben, cleo] },
  { world: 'A row in the middle is removed and the others keep their secrets', ops: ['remove:spec.users:1'], users: [anna, cleo] },
  { world: 'Rows within rows are moved', ops: ['up:spec.users[0].roles:1'], users: [{ ...anna, roles: ['y', 'x'] }, ben, cleo] },
  { world: 'A row that was added is an empty object until it is filled', ops: ['add:spec.users'], users: [anna, ben, cleo, {}] },
  {
    world: 'When all rows are removed the list goes away',
    ops: ['remove:spec.users:0', 'remove:spec.users:0', 'remove:spec.users:0'],
    users: undefined,
  },
  { world: 'A row of a map is removed', ops: ['remove:spec.labels:0'], users: [anna, ben, cleo], labels: { 'b.c/d': '2' } },
  {
    world: 'Buttons for what is not there change nothing',
    ops: ['add:spec.nothing', 'remove:spec.users:7', 'up:__proto__:1', 'dance:spec.users', 'remove:spec.users', ''],
    users: [anna, ben, cleo],
  },
  { world: 'A list as YAML and back keeps the secrets', ops: ['yaml:spec.users', 'fields:spec.users'], users: [anna, ben, cleo] },
  {
    world: 'A list as YAML and back can still be reordered',
    ops: ['yaml:spec.users', 'fields:spec.users', 'up:spec.users:2'],
    users: [anna, cleo, ben],
  },
  {
    world: 'A row that moved and then became YAML keeps its own secret',
    ops: ['up:spec.users:1', 'yaml:spec.users[0]'],
    users: [ben, anna, cleo],
  },
];

for (const { world, ops, users, labels = LIVE['labels'] } of cases) {
  test(world, () => {
    const values = press(...ops);
    assert.deepEqual(values['users'], users);
    assert.deepEqual(values['labels'], labels);
  });
}

test('A nested form is filled by buttons and inputs alone', () => {
  let fields = show(new URLSearchParams());
  const push = (op: string) => (fields = show(applyFormOp(model, fields, { op, base: {} }).fields));
  push('add:spec.pools');
  fields.set('k.spec.pools[0]', 'small');
  push('add:spec.pools[0]');
  push('add:spec.pools[0][0].roles');
  fields.set('v.spec.pools[0][0].name', 'dora');
  fields.set('v.spec.pools[0][0].roles[0]', 'reader');
  assert.deepEqual(formToValues(model, fields, {}), {
    values: { pools: { small: [{ name: 'dora', roles: ['reader'] }] } },
    faults: [],
    drafts: formToValues(model, fields, {}).drafts,
  });
});

test('YAML that cannot be read stays as it was typed, and the fault names its line', () => {
  const fields = new URLSearchParams([['y.spec.users', '- name: x\n  name: y\n']]);
  const result = applyFormOp(model, fields, { op: 'fields:spec.users', base: {} });
  assert.equal(result.fields.get('y.spec.users'), '- name: x\n  name: y\n');
  assert.equal(result.faults[0]?.field, 'spec.users');
  assert.equal(result.faults[0]?.line, 2);
});

test('No live secret is in the page, neither in fields nor in YAML', () => {
  const secret = { users: [{ name: 'anna', password: 'S3CRET-1' }], labels: {} };
  const pages = [
    valuesToFields(model, secret),
    applyFormOp(model, valuesToFields(model, secret), { op: 'yaml:spec', base: secret }).fields,
  ];
  for (const fields of pages) {
    const html = views.render('parts/form', formView(model, { fields, base: secret, faults: [] }));
    assert.doesNotMatch(html, /S3CRET-1/);
    assert.match(html, /masked|A value is set/);
  }
});

test('A large form leaves empty groups closed until they are asked for, and loses nothing meanwhile', () => {
  const big = (name: string) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${name}${n}`, { type: 'string' }])),
  });
  const large = buildForm({ schema: { properties: { affinity: big('a'), policy: big('p') } }, root: 'spec', curated: [], mode: 'edit' });
  const live = { policy: { p3: 'x', unknown: { deep: [0, '', false] } } };
  const html = (fields: URLSearchParams) => views.render('parts/form', formView(large, { fields, base: live, faults: [] }));
  const page = html(valuesToFields(large, live));
  assert.match(page, /value="open:spec\.affinity"/);
  assert.doesNotMatch(page, /name="v\.spec\.affinity\.a0"/);
  assert.deepEqual(formToValues(large, submit(page), live).values, live);
  const opened = html(applyFormOp(large, submit(page), { op: 'open:spec.affinity', base: live }).fields);
  assert.match(opened, /name="v\.spec\.affinity\.a0"/);
  assert.deepEqual(formToValues(large, submit(opened), live).values, live);
});
