import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { applyMergePatch, isSame, mergePatchBetween } from '../../../../src/domain/core/merge-patch.ts';

/** The cases of RFC 7386, appendix A: original, patch, result. */
const RFC: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

const withoutNull = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const anObject = fc.dictionary(fc.string(), withoutNull, { maxKeys: 5 });

describe('a merge patch', () => {
  for (const [original, patch, result] of RFC) {
    it(`turns ${stringifyJson(original)} by ${stringifyJson(patch)} into ${stringifyJson(result)}`, () => {
      assert.deepEqual(applyMergePatch(original, patch), result);
    });
  }

  it('that was made between two objects turns the one into the other', () => {
    fc.assert(fc.property(anObject, anObject, (from, to) => isSame(applyMergePatch(from, mergePatchBetween(from, to)), to)));
  });

  it('between two equal objects is empty', () => {
    fc.assert(fc.property(anObject, (value) => isSame(mergePatchBetween(value, structuredClone(value)), {})));
  });
});
