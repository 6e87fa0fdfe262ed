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

test('a long name and a long description cost next to nothing', () => {
  const before = process.threadCpuUsage();
  sensitivityOf({ path: ['spec', 'secret'.repeat(50_000)], schema: { description: 'if a secret name '.repeat(50_000) } });
  const { user } = process.threadCpuUsage(before);
  assert.ok(user < 200_000, `${user} µs`);
});

function factsOf({ path, description, siblings, schema }: FieldPath): FieldFacts {
  const known = description === undefined ? schema : { type: 'string', ...schema, description };
  return {
    path: path.split(' '),
    ...(known === undefined ? {} : { schema: known }),
    ...(siblings === undefined ? {} : { siblings }),
  };
}
