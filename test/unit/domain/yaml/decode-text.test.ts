import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '../../../../src/domain/yaml/decode-text.ts';

const TEXT = 'a: ä\n';
const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();
const wide = (text: string): Buffer => Buffer.concat(Array.from(text, (character) => Buffer.concat([little(character), Buffer.alloc(2)])));

test('text is UTF-8, and any other encoding is rejected by its name', () => {
  assert.equal(decodeText(Buffer.from(TEXT)), TEXT);
  assert.equal(decodeText(Buffer.from(`\ufeff${TEXT}`)), `\ufeff${TEXT}`);
  assert.equal(decodeText(Buffer.alloc(0)), '');
  const rejected: readonly (readonly [Buffer, RegExp])[] = [
    [little(`\ufeff${TEXT}`), /UTF-16/],
    [big(`\ufeff${TEXT}`), /UTF-16/],
    [little(TEXT), /UTF-16/],
    [big(TEXT), /UTF-16/],
    [wide(`\ufeff${TEXT}`), /UTF-32/],
    [wide(`\ufeff${TEXT}`).swap32(), /UTF-32/],
    [wide(TEXT), /UTF-32/],
    [Buffer.from(TEXT, 'latin1'), /not UTF-8/],
  ];
  for (const [bytes, message] of rejected) assert.throws(() => decodeText(bytes), { code: 'InvalidInput', message });
});
