import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { applyPreset } from '../../../../src/form/input/apply-preset.ts';
import { pathsHolding } from '../../../../src/form/input/form-units.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    instances: { type: 'integer', default: 1 },
    storage: { type: 'object', properties: { size: text, className: text } },
    backup: { type: 'object', properties: { enabled: { type: 'boolean' }, schedule: text } },
    users: { type: 'array', items: { type: 'object', properties: { name: text, login: { type: 'boolean' } } } },
    labels: { type: 'object', additionalProperties: text },
    store: {
      oneOf: [
        { type: 'object', title: 'S3', required: ['bucket'], properties: { bucket: text, region: text } },
        { type: 'object', title: 'Disk', required: ['size'], properties: { size: text, region: text } },
      ],
    },
  },
};
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
const SMALL = { instances: 1, storage: { size: '1Gi' } };
const LARGE = { instances: 3, storage: { size: '20Gi' }, backup: { enabled: true }, users: [{ name: 'app' }], labels: { tier: 'gold' } };

function values(fields: URLSearchParams): unknown {
  const read = formToValues(model, fields, {});
  assert.deepEqual(read.faults, []);
  return read.values;
}

test('a preset fills an empty form with exactly its values', () => {
  assert.deepEqual(values(applyPreset(model, new URLSearchParams(), { to: LARGE })), LARGE);
});

test('what somebody typed stays, the rest is filled in', () => {
  const typed = new URLSearchParams({ 'v.spec.storage.size': '7Gi', 'v.spec.storage.className': 'fast', 'v.spec.instances': '' });
  assert.deepEqual(values(applyPreset(model, typed, { to: SMALL })), { instances: 1, storage: { size: '7Gi', className: 'fast' } });
});

test('another preset takes the place of the first, but for what was changed since', () => {
  const first = applyPreset(model, new URLSearchParams(), { to: LARGE });
  first.set('v.spec.instances', '5');
  assert.deepEqual(values(applyPreset(model, first, { from: LARGE, to: SMALL })), { instances: 5, storage: { size: '1Gi' } });
});

test('to choose none takes a preset away', () => {
  const first = applyPreset(model, new URLSearchParams({ 'v.spec.storage.className': 'fast' }), { to: LARGE });
  assert.deepEqual(values(applyPreset(model, first, { from: LARGE })), { storage: { className: 'fast' } });
});

test('a list that somebody began is theirs as a whole', () => {
  const typed = new URLSearchParams({ 'n.spec.users': '1', 'v.spec.users[0].name': 'me' });
  assert.deepEqual((values(applyPreset(model, typed, { to: LARGE })) as { users: unknown }).users, [{ name: 'me' }]);
  const emptied = new URLSearchParams({ 'n.spec.users': '0', 's.spec.users': 'empty' });
  assert.deepEqual((values(applyPreset(model, emptied, { to: LARGE })) as { users: unknown }).users, []);
});

test('a list written as YAML is theirs, too; and a form written as YAML stays whole', () => {
  const part = new URLSearchParams({ 'y.spec.users': '- name: me' });
  assert.deepEqual((values(applyPreset(model, part, { to: LARGE })) as { users: unknown }).users, [{ name: 'me' }]);
  const whole = new URLSearchParams({ 'y.spec': 'instances: 2' });
  assert.equal(applyPreset(model, whole, { to: LARGE }), whole);
});

test('the parts that hold what the preset gave them are known by path', () => {
  const fields = applyPreset(model, new URLSearchParams(), { to: LARGE });
  fields.set('v.spec.instances', '4');
  assert.deepEqual([...pathsHolding(model, fields, LARGE)].toSorted(), [
    'spec.backup.enabled',
    'spec.labels',
    'spec.storage.size',
    'spec.users',
  ]);
});

test('what a preset put into a branch is known field by field, until another branch is chosen', () => {
  const withStore = { store: { bucket: 'b', region: 'r' } };
  const fields = applyPreset(model, new URLSearchParams(), { to: withStore });
  const held = (): string[] => [...pathsHolding(model, fields, withStore)].toSorted();
  assert.deepEqual(held(), ['spec.store', 'spec.store.bucket', 'spec.store.region']);
  fields.set('v.spec.store.region', 'mine');
  assert.deepEqual(held(), ['spec.store', 'spec.store.bucket']);
  fields.set('b.spec.store', '1');
  fields.set('v.spec.store.region', 'r');
  assert.deepEqual(held(), []);
});
