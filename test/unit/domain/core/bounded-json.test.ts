import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBoundedJson } from '../../../../src/domain/core/bounded-json.ts';
import { isAppError } from '../../../../src/domain/core/errors.ts';

const parse = (text: string | Buffer): unknown => parseBoundedJson(Buffer.from(text));

describe('JSON of strangers', () => {
  const READ: readonly [string, string, unknown][] = [
    ['an object', ' {"a":[1,-2.5e3,true,null,"x"]}\n', { a: [1, -2500, true, null, 'x'] }],
    ['texts that look like structure', '{"a":"[[[,,,\\"{","b":"\\\\"}', { a: '[[[,,,"{', b: '\\' }],
    ['whole numbers of 64 bits', '[9007199254740993]', [9007199254740993n]],
    ['a byte order mark', '\uFEFF[1]', [1]],
    ['as many values as are allowed', `[${'1,'.repeat(9_997)}1]`, Array.from({ length: 9_998 }, () => 1)],
  ];
  for (const [what, text, value] of READ) it(`is read: ${what}`, () => assert.deepEqual(parse(text), value));

  it('keeps a key __proto__ as a key', () => {
    const value = parse('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    assert.deepEqual([Object.keys(value), value['admin']], [['__proto__'], undefined]);
  });

  const REJECTED: readonly [string, string | Buffer, string, RegExp][] = [
    ['broken', '{"a":1', 'MalformedRequest', /not valid JSON/],
    ['a plain text', '"a"', 'MalformedRequest', /neither an object nor a list/],
    ['another encoding', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'MalformedRequest', /UTF-8/],
    ['101 levels', '['.repeat(101) + ']'.repeat(101), 'MalformedRequest', /100 levels/],
    ['more values than are allowed', `[${'1,'.repeat(10_000)}1]`, 'TooLarge', /10000 values/],
    ['more empty objects than are allowed', `[${'{},'.repeat(10_000)}{}]`, 'TooLarge', /10000 values/],
    ['a number beyond all numbers', '{"spec":{"users":[{"age":1e999}]}}', 'InvalidInput', /^spec\.users\[0\]\.age: /],
    ['more digits than are kept', '[1.00000000000000000001]', 'InvalidInput', /^\[0\]: /],
    ['a number that is longer than any that is looked at', `{"a":1.${'0'.repeat(400)}}`, 'InvalidInput', /^a: /],
  ];
  for (const [what, text, code, message] of REJECTED) {
    it(`is rejected: ${what}`, () => {
      assert.throws(
        () => parse(text),
        (error) => isAppError(error) && error.code === code && message.test(error.message),
      );
    });
  }

  const BEYOND: readonly [string, string, number, RegExp][] = [
    ['levels', '['.repeat(1_000_000), 101, /100 levels/],
    ['values', `[${'1,'.repeat(1_000_000)}1]`, 20_000, /10000 values/],
    ['values behind texts with escapes', `[${String.raw`"\\",`.repeat(250_000)}1]`, 100_000, /10000 values/],
  ];
  for (const [what, text, most, message] of BEYOND) {
    it(`is read no further than the bound, and not decoded, where it has too many ${what}`, () => {
      const read = countReads(Buffer.from(text));
      assert.throws(() => parseBoundedJson(read.bytes), { message });
      assert.ok(read.count() <= most, `${read.count()} reads`);
    });
  }
});

/** Bytes that count how often one of them is read. No decoder takes them. */
function countReads(bytes: Buffer): { readonly bytes: Uint8Array; readonly count: () => number } {
  let reads = 0;
  const get = (target: Buffer, key: string | symbol): unknown => {
    if (key !== 'length') reads += 1;
    return Reflect.get(target, key, target);
  };
  return { bytes: new Proxy(bytes, { get }), count: () => reads };
}
