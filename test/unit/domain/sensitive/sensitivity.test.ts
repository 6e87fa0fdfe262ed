import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sensitivityOf, type FieldFacts } from '../../../../src/domain/sensitive/sensitivity.ts';
import { FIELD_PATHS, type FieldPath } from './field-paths.ts';

test('every field of the table holds what it says', () => {
  assert.ok(FIELD_PATHS.length >= 150);
  const wrong = FIELD_PATHS.map((row) => ({ row, found: sensitivityOf(factsOf(row)) })).filter(({ row, found }) => found !== row.verdict);
  assert.deepEqual(
    wrong.map(
      ({ row, found }) => `${row.path}: ${found}, not ${row.verdict}${row.description === undefined ? '' : ` (${row.description})`}`,
    ),
    [],
  );
});

test('of a long name the end is read, and of a long description the beginning', () => {
  const named = (before: string) => sensitivityOf({ path: ['spec', `max_${before}_password`] });
  assert.deepEqual([named('a'), named('a'.repeat(200))], ['plain', 'secret']);
  const described = (before: string) => sensitivityOf({ path: ['token'], schema: { description: `${before}The name of a Secret` } });
  assert.deepEqual([described('.'.repeat(1_900)), described('.'.repeat(2_000))], ['reference', 'secret']);
});

test('the names beside a field are read once for all of them', () => {
  let reads = 0;
  const names = Array.from({ length: 100 }, (_, n) => `n${n}SecretKey`);
  const get = (target: readonly string[], key: string | symbol): unknown => {
    if (key === '0') reads += 1;
    return Reflect.get(target, key);
  };
  const siblings = new Proxy(names, { get });
  assert.deepEqual(new Set(names.map((name) => sensitivityOf({ path: ['spec', name], siblings }))), new Set(['secret']));
  assert.equal(reads, 1);
});

function factsOf({ path, description, siblings, schema }: FieldPath): FieldFacts {
  const known = description === undefined ? schema : { type: 'string', ...schema, description };
  return {
    path: path.split(' '),
    ...(known === undefined ? {} : { schema: known }),
    ...(siblings === undefined ? {} : { siblings }),
  };
}
