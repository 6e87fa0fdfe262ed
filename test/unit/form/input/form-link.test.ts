import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { formLink } from '../../../../src/form/input/form-link.ts';
import { prefill } from '../../../../src/form/input/prefill.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    instances: { type: 'integer' },
    ready: { type: 'boolean' },
    note: text,
    password: { type: 'string', format: 'password' },
    storage: { type: 'object', properties: { size: text } },
    users: { type: 'array', items: { type: 'object', properties: { name: text, password: text } } },
    tags: { type: 'array', items: text },
    labels: { type: 'object', additionalProperties: text },
    extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    store: {
      oneOf: [
        { type: 'object', properties: { bucket: text }, required: ['bucket'] },
        { type: 'object', properties: { volume: text }, required: ['volume'] },
      ],
    },
  },
};
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });

test('a link fills the form with the same values', () => {
  const values = {
    instances: 0,
    ready: false,
    note: 'a & b = "c"\nd',
    storage: { size: '1Gi' },
    users: [{ name: 'anna' }],
    tags: ['1', 'true'],
    labels: { 'a.b/c': 'x' },
    extra: { deep: [1, null, ''] },
    store: { volume: 'fast' },
  };
  const { query, secret, left } = formLink(model, values, { environment: 'team-a', name: '' });
  assert.deepEqual([secret, left], [[], []]);
  assert.equal(query.get('environment'), 'team-a');
  assert.equal(query.has('name'), false);
  assert.deepEqual(prefill(model, new URLSearchParams(query.toString())), values);
});

test('secrets stay out of it, lists that hold one as a whole', () => {
  const { query, secret } = formLink(model, { password: 'hunter2', users: [{ name: 'anna', password: 'hunter2' }], note: 'n' }, {});
  assert.deepEqual(secret, ['spec.password', 'spec.users']);
  assert.equal(query.toString(), 'v.spec.note=n');
});

test('what no control describes is a secret by its name', () => {
  const { query, secret } = formLink(model, { extra: { auth: [{ token: 'hunter2' }] } }, {});
  assert.deepEqual([query.toString(), secret], ['', ['spec.extra']]);
});

test('what an address cannot say is reported', () => {
  const { query, left } = formLink(model, { note: '', unknown: 1, instances: 2 }, {});
  assert.deepEqual([query.toString(), left], ['v.spec.instances=2', ['spec.note', 'spec.unknown']]);
});

test('it stays short: what makes it too long is reported, and what comes after it still has room', () => {
  const { query, left } = formLink(model, { note: 'x'.repeat(7000), instances: 2 }, {});
  assert.deepEqual([query.toString(), left], ['v.spec.instances=2', ['spec.note']]);
});

test('whatever is in the link comes back as it was', () => {
  const value = fc.record(
    {
      instances: fc.oneof(fc.integer(), fc.string()),
      ready: fc.boolean(),
      note: fc.string(),
      tags: fc.array(fc.string()),
      labels: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
      extra: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(value, (values) => {
      const { query, left, secret } = formLink(model, values, {});
      const back = prefill(model, new URLSearchParams(query.toString()));
      const kept = Object.fromEntries(
        Object.entries(values).filter(([key]) => ![...left, ...secret].some((path) => path.startsWith(`spec.${key}`))),
      );
      assert.deepEqual(back, JSON.parse(JSON.stringify(kept)));
    }),
  );
});
