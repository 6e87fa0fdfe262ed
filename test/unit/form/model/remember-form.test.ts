import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rememberForm } from '../../../../src/form/model/remember-form.ts';

const input = { root: 'spec', curated: [], mode: 'create' } as const;
const schemaOf = (fields: number) => ({
  properties: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`p${n}`, { type: 'string' }])),
});

test('The form of one schema is made once, and made anew for another schema, mode, pick or default', () => {
  const schema = schemaOf(20);
  const first = rememberForm({ ...input, schema });
  assert.equal(rememberForm({ ...input, schema }), first);
  assert.notEqual(rememberForm({ ...input, schema: schemaOf(20) }), first);
  assert.equal(rememberForm({ ...input, schema, mode: 'edit' }).mode, 'edit');
  assert.notEqual(rememberForm({ ...input, schema, curated: ['spec.p1'] }), first);
  const large = rememberForm({ ...input, schema, defaults: { p0: 9007199254740993n } });
  assert.notEqual(large, rememberForm({ ...input, schema, defaults: { p0: '9007199254740993' } }));
});

test('Forms that nobody asked for any more make room', () => {
  const [schema, kept] = [schemaOf(3), schemaOf(3)];
  const [first, used] = [rememberForm({ ...input, schema }), rememberForm({ ...input, schema: kept })];
  for (let other = 0; other < 20; other += 1) {
    rememberForm({ ...input, schema: schemaOf(8000) });
    assert.equal(rememberForm({ ...input, schema: kept }), used);
  }
  assert.notEqual(rememberForm({ ...input, schema }), first);
});
