import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { checkScalar, readScalar, writeScalar } from '../../../../src/form/controls/scalar.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { isScalar, type ScalarNode } from '../../../../src/form/model/form-node.ts';

const integer: JsonObject = { type: 'integer', minimum: 1, exclusiveMaximum: 100 };
const mixed: JsonObject = { 'x-kubernetes-int-or-string': true };
const quantity: JsonObject = { type: 'string', format: 'quantity' };

const read: readonly {
  readonly world: string;
  readonly schema: JsonObject;
  readonly text: string;
  readonly value?: Json;
  readonly fault?: string;
}[] = [
  { world: 'A whole number is read', schema: integer, text: ' 42 ', value: 42 },
  { world: 'A fraction is no whole number', schema: integer, text: '4.2', fault: 'Enter a whole number, such as 3' },
  { world: 'A word is no number', schema: integer, text: 'three', fault: 'Enter a whole number, such as 3' },
  { world: 'Hexadecimal is no number', schema: integer, text: '0x10', fault: 'Enter a whole number, such as 3' },
  { world: 'A number with a lower limit names it', schema: integer, text: '0', fault: 'Enter 1 or more' },
  { world: 'A number at an excluded limit names it', schema: integer, text: '100', fault: 'Enter a number below 100' },
  {
    world: 'A whole number that a double would round is kept to its last digit',
    schema: { type: 'integer', multipleOf: 3 },
    text: '9007199254740993',
    value: 9007199254740993n,
  },
  {
    world: 'Its limits count to the last digit',
    schema: { type: 'integer', multipleOf: 2 },
    text: '9007199254740993',
    fault: 'Enter a multiple of 2',
  },
  {
    world: 'A whole number beyond 64 bits is rejected, not rounded',
    schema: { type: 'integer' },
    text: '9223372036854775809',
    fault: 'This number has too many digits: whole numbers are kept exactly from -9223372036854775808 to 9223372036854775807',
  },
  {
    world: 'A fraction with more digits than a double has is rejected, not rounded',
    schema: { type: 'number' },
    text: '0.12345678901234567890',
    fault: 'This number has more digits than can be kept; the nearest one is 0.12345678901234568',
  },
  { world: 'A fraction is a number', schema: { type: 'number' }, text: '2.5e-3', value: 0.0025 },
  { world: 'Infinity is no number', schema: { type: 'number' }, text: '1e999', fault: 'This number is too large to be kept' },
  { world: 'A multiple is checked', schema: { type: 'integer', multipleOf: 5 }, text: '7', fault: 'Enter a multiple of 5' },
  { world: 'Digits are a number where both are allowed', schema: mixed, text: '80', value: 80 },
  { world: 'Quotes make text of digits', schema: mixed, text: '"80"', value: '80' },
  { world: 'Words are text where both are allowed', schema: mixed, text: 'http', value: 'http' },
  {
    world: 'Digits too long for any number stay text where both are allowed',
    schema: mixed,
    text: '92233720368547758070',
    value: '92233720368547758070',
  },
  { world: 'A per cent stays text', schema: mixed, text: '25%', value: '25%' },
  { world: 'Text keeps its spaces', schema: { type: 'string' }, text: ' a ', value: ' a ' },
  {
    world: 'Text that is too short says how short',
    schema: { type: 'string', minLength: 3 },
    text: 'é',
    fault: 'Enter at least 3 characters; there is 1',
  },
  {
    world: 'Text that is too long says how long',
    schema: { type: 'string', maxLength: 1 },
    text: 'ab',
    fault: 'Enter at most 1 character; there are 2',
  },
  {
    world: 'Text that does not fit its pattern shows it',
    schema: { type: 'string', pattern: '^[a-z]+$' },
    text: 'A',
    fault: 'Use the form ^[a-z]+$',
  },
  { world: 'A quantity is an amount', schema: quantity, text: '10Gi', value: '10Gi' },
  { world: 'A quantity needs a known unit', schema: quantity, text: '10GB', fault: 'Enter an amount such as 500m, 2 or 10Gi' },
  {
    world: 'A duration needs a unit',
    schema: { type: 'string', format: 'duration' },
    text: '10',
    fault: 'Enter a duration such as 30s, 5m or 1h30m',
  },
  { world: 'A choice is one of its options', schema: { enum: ['a', 3] }, text: '3', value: 3 },
  { world: 'A choice is nothing else', schema: { enum: ['a', 3] }, text: 'b', fault: 'Choose one of the options' },
  { world: 'Yes is a boolean', schema: { type: 'boolean' }, text: 'true', value: true },
  { world: 'Maybe is no boolean', schema: { type: 'boolean' }, text: 'maybe', fault: 'Choose Yes or No' },
];

for (const { world, schema, text, value, fault } of read) {
  test(world, () => {
    const node = nodeOf(schema);
    const result = readScalar(node, text);
    const said = result.fault ?? checkScalar(node, result.value);
    assert.equal(said, fault);
    if (fault === undefined) assert.deepEqual(result.value, value);
  });
}

test('A value that its control would change is not given as text', () => {
  assert.equal(writeScalar(nodeOf({ type: 'string' }), 5), undefined);
  assert.equal(writeScalar(nodeOf({ type: 'string' }), 'a\r\nb'), undefined);
  assert.equal(writeScalar(nodeOf({ type: 'string' }), '\ud800'), undefined);
  assert.equal(writeScalar(nodeOf({ type: 'integer' }), 1.5), undefined);
  assert.equal(writeScalar(nodeOf({ enum: ['a'] }), 'gone'), undefined);
  assert.equal(writeScalar(nodeOf(mixed), 'true'), 'true');
  assert.equal(writeScalar(nodeOf(mixed), '5'), '"5"');
});

test('The grammar of quantities is that of Kubernetes', () => {
  const isQuantity = (text: string) => checkScalar(nodeOf(quantity), text) === undefined;
  for (const text of ['0', '1', '-1', '+1.5', '.5', '1.', '500m', '1k', '1Ki', '12E', '12e6', '1E-3', '1Pi'])
    assert.ok(isQuantity(text), text);
  for (const text of ['', '.', 'Gi', '1 Gi', '1gi', '1KB', '1K', '--1', '1e', '1Mi1', '1,5']) assert.ok(!isQuantity(text), text);
});

test('The grammar of durations is that of Go, with days and weeks', () => {
  const isDuration = (text: string) => checkScalar(nodeOf({ type: 'string', format: 'duration' }), text) === undefined;
  for (const text of ['0', '30s', '1h30m', '1.5h', '-2ms', '7d', '1w']) assert.ok(isDuration(text), text);
  for (const text of ['', '30', 's', '1 year', 'PT1H']) assert.ok(!isDuration(text), text);
});

function nodeOf(schema: JsonObject): ScalarNode {
  const { root } = buildForm({ schema: { properties: { field: schema } }, root: 'spec', curated: [], mode: 'create' });
  const node = root.kind === 'group' ? root.children[0] : undefined;
  if (node === undefined || !isScalar(node)) assert.fail('no scalar');
  return node;
}
