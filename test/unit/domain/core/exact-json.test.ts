import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { exactNumber, parseJson, reviveExactly, stringifyJson } from '../../../../src/domain/core/exact-json.ts';

const read: readonly (readonly [world: string, text: string, value: number | bigint | undefined])[] = [
  ['a small number', '42', 42],
  ['a number with a sign and zeros before it', '+0042', 42],
  ['the last number that a double counts to', '9007199254740991', 9007199254740991],
  ['the first that it would round', '9007199254740993', 9007199254740993n],
  ['a double in the digits that it is written with', '1152921504606847000', 2 ** 60],
  ['the same double to its last digit', '1152921504606846976', 1152921504606846976n],
  ['the largest of 64 bits', '9223372036854775807', 9223372036854775807n],
  ['the smallest of 64 bits', '-9223372036854775807', -9223372036854775807n],
  ['one more than 64 bits hold', '9223372036854775809', undefined],
  ['a fraction', '2.50', 2.5],
  ['a fraction with a power of ten', '2.5e-3', 0.0025],
  ['more digits than a double has', '3.14159265358979323846', undefined],
  ['a power too large', '1e400', undefined],
  ['a power too small', '1e-400', undefined],
  ['zero with a power', '0e400', 0],
  ['no number', 'x', undefined],
];

describe('a number to its last digit', () => {
  for (const [world, text, value] of read) it(`is read from ${world}`, () => assert.equal(exactNumber(text), value));
});

describe('JSON of the cluster', () => {
  it('comes back as it was, whole numbers of 64 bits included', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.integer())), fc.jsonValue(), (numbers, rest) => {
        const text = `{"numbers":[${numbers.join(',')}],"rest":${JSON.stringify(rest)}}`;
        assert.equal(stringifyJson(parseJson(text)), text);
      }),
    );
  });

  it('leaves BigInt.prototype as it was, so that no other writer takes a number for what it is not', () => {
    assert.throws(() => JSON.stringify({ n: 1n as unknown as number }), TypeError);
  });

  it('is not written of an object that holds itself', () => {
    const object: Record<string, unknown> = { n: 1n };
    object['self'] = object;
    assert.throws(() => stringifyJson(object), /circular/);
  });

  it('keeps digits in texts and keys apart from numbers', () => {
    const value = { '9007199254740993': '9007199254740993', n: 1 };
    assert.deepEqual(parseJson(JSON.stringify(value)), value);
  });

  const LONG = '9007199254740993';
  for (const text of [
    LONG,
    ` -${LONG}`,
    `{"a":${LONG}}`,
    `{"a" : ${LONG}}`,
    `[${LONG}]`,
    `[1, ${LONG}]`,
    `[[\n${LONG}]]`,
    `{"a":[{"b":-${LONG}}]}`,
  ]) {
    it(`finds the long number in ${JSON.stringify(text)}`, () => assert.match(stringifyJson(parseJson(text)), new RegExp(LONG)));
  }

  it('finds it wherever it stands, and at the end of the text', () => {
    for (const before of Array.from({ length: 33 }, (_, length) => ' '.repeat(length))) {
      for (const long of ['9007199254740993', '-9007199254740993']) {
        assert.equal(parseJson(`${before}${long}`), BigInt(long));
        assert.deepEqual(parseJson(`{"${before}":1,"n":${long}}`), { [before]: 1, n: BigInt(long) });
      }
    }
  });

  it('is not read number by number for the sake of a digest, which every list of Operators has', (t) => {
    const parse = t.mock.method(JSON, 'parse');
    parseJson(JSON.stringify({ digest: `sha256:${LONG.repeat(4)}`, uid: LONG, list: [LONG] }));
    assert.deepEqual(
      parse.mock.calls.map(({ arguments: given }) => given.length),
      [1],
    );
  });

  it('marks a number of strangers that cannot be kept', () => {
    assert.deepEqual(JSON.parse('[1, 9007199254740993, 0.12345678901234567890, 1e999]', reviveExactly), [1, 9007199254740993n, NaN, NaN]);
  });
});
