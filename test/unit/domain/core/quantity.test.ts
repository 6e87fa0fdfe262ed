import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatQuantity, parseQuantity } from '../../../../src/domain/core/quantity.ts';

const ONE = 1_000_000_000n;

describe('quantities of Kubernetes', () => {
  it('are read exactly', () => {
    const cases = [
      ['1', ONE],
      [2, 2n * ONE],
      [0.5, ONE / 2n],
      ['250m', ONE / 4n],
      ['1.5Gi', 1536n * 1024n * 1024n * ONE],
      ['.5', ONE / 2n],
      ['1e3', 1000n * ONE],
      ['1E', 10n ** 18n * ONE],
      ['1E2', 100n * ONE],
      ['100n', 100n],
      ['0.1n', 1n],
      ['-2k', -2000n * ONE],
      ['9223372036854775807', 9223372036854775807n * ONE],
    ] as const;
    for (const [text, nanos] of cases) assert.equal(parseQuantity(text), nanos, String(text));
  });

  it('are nothing else', () => {
    for (const text of ['', '.', '1 Gi', '1gi', 'Gi', '1e1000', '1'.repeat(41), Number.NaN, null, {}, true])
      assert.equal(parseQuantity(text), undefined, JSON.stringify(text));
  });

  it('are shown in the unit that fits', () => {
    const formatted = (text: string, units: 'binary' | 'decimal'): string => formatQuantity(parseQuantity(text) ?? 0n, units);
    assert.deepEqual(
      [
        formatted('4Gi', 'binary'),
        formatted('1536Mi', 'binary'),
        formatted('1.26Gi', 'binary'),
        formatted('10', 'binary'),
        formatted('5G', 'binary'),
      ],
      ['4Gi', '1536Mi', '1.26Gi', '10', '4.65Gi'],
    );
    assert.deepEqual(
      [formatted('1500m', 'decimal'), formatted('3', 'decimal'), formatted('1n', 'decimal'), formatted('-500m', 'decimal')],
      ['1500m', '3', '1m', '-500m'],
    );
  });
});
