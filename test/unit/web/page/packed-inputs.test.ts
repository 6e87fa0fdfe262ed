import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { packInputs, unpackInputs } from '../../../../src/domain/core/packed-inputs.ts';
import { isAppError } from '../../../../src/domain/core/errors.ts';

const inputs = Array.from({ length: 500 }, (_, n) => ({ name: `v.spec.a["é.${n}"].name`, value: `line ${n}\r\n& "quoted"` }));
const formOf = (all: readonly { readonly name: string; readonly value: string }[]): URLSearchParams =>
  new URLSearchParams(all.map(({ name, value }): [string, string] => [name, value]));
const packed = (text: string): URLSearchParams => new URLSearchParams([['_packed', deflateRawSync(text).toString('base64url')]]);

test('Many hidden inputs travel as one that is much smaller, and few as they are', () => {
  const [one, ...others] = packInputs(inputs);
  assert.deepEqual([one?.name, others.length, (one?.value.length ?? 0) < 8_000], ['_packed', 0, true]);
  assert.deepEqual([...unpackInputs(formOf([...packInputs(inputs), { name: '_op', value: 'search' }]))].slice(1), [...formOf(inputs)]);
  assert.deepEqual(packInputs(inputs.slice(0, 9)), inputs.slice(0, 9));
});

test('Two packed inputs of one page are both unpacked', () => {
  const both = [...packInputs(inputs), ...packInputs(inputs.map(({ name, value }) => ({ name: `${name}.b`, value })))];
  assert.equal(unpackInputs(formOf(both)).size, 1000);
});

for (const [world, form, code] of [
  ['more than a form may hold', packed(JSON.stringify([['a', 'x'.repeat(3 * 1024 * 1024)]])), 'TooLarge'],
  ['more fields than a form may have', packed(JSON.stringify(Array.from({ length: 10_001 }, (_, n) => [`v.a${n}`, '']))), 'TooLarge'],
  ['what was never packed', new URLSearchParams([['_packed', 'nonsense']]), 'MalformedRequest'],
  ['no JSON', packed('['), 'MalformedRequest'],
  ['no names and values', packed('[["a", 1]]'), 'MalformedRequest'],
  [
    'half of two forms that fit only one by one',
    new URLSearchParams([
      ...packed(JSON.stringify([['a', 'x'.repeat(1_500_000)]])),
      ...packed(JSON.stringify([['b', 'x'.repeat(1_500_000)]])),
    ]),
    'TooLarge',
  ],
] as const) {
  test(`A packed input that holds ${world} is rejected`, () => {
    assert.throws(
      () => unpackInputs(form),
      (error) => isAppError(error, code),
    );
  });
}
