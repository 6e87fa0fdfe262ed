import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheForm } from '../../../../src/form/model/cache-form.ts';

const input = { root: 'spec', curated: [], mode: 'create' } as const;
const schemaOf = (fields: number) => ({
  properties: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`p${n}`, { type: 'string' }])),
});

test('The form of one schema is made once, and made anew for another schema, mode, pick or default', () => {
  const schema = schemaOf(20);
  const first = cacheForm({ ...input, schema });
  assert.equal(cacheForm({ ...input, schema }), first);
  assert.notEqual(cacheForm({ ...input, schema: schemaOf(20) }), first);
  assert.equal(cacheForm({ ...input, schema, mode: 'edit' }).mode, 'edit');
  assert.notEqual(cacheForm({ ...input, schema, curated: ['spec.p1'] }), first);
  const large = cacheForm({ ...input, schema, defaults: { p0: 9007199254740993n } });
  assert.notEqual(large, cacheForm({ ...input, schema, defaults: { p0: '9007199254740993' } }));
});

test('Forms that nobody asked for any more make room', () => {
  const [schema, kept] = [schemaOf(3), schemaOf(3)];
  const [first, used] = [cacheForm({ ...input, schema }), cacheForm({ ...input, schema: kept })];
  for (let other = 0; other < 20; other += 1) {
    cacheForm({ ...input, schema: schemaOf(8000) });
    assert.equal(cacheForm({ ...input, schema: kept }), used);
  }
  assert.notEqual(cacheForm({ ...input, schema }), first);
});
