import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPatchBetween } from '../../../../src/domain/core/merge-patch.ts';

const CASES: readonly { readonly because: string; readonly from: unknown; readonly to: unknown; readonly patch: readonly unknown[] }[] = [
  { because: 'equal values take nothing', from: { a: [1] }, to: { a: [1] }, patch: [] },
  {
    because: 'null is a value',
    from: { a: { b: 1 } },
    to: { a: { b: null } },
    patch: [{ op: 'replace', path: '/spec/a/b', value: null }],
  },
  { because: 'a member that is new is added', from: {}, to: { a: null }, patch: [{ op: 'add', path: '/spec/a', value: null }] },
  { because: 'a member that goes is removed', from: { a: 1, b: 2 }, to: { b: 2 }, patch: [{ op: 'remove', path: '/spec/a' }] },
  {
    because: 'keys are written as pointers have it',
    from: { 'x.y/z~': 1 },
    to: { 'x.y/z~': 2 },
    patch: [{ op: 'replace', path: '/spec/x.y~1z~0', value: 2 }],
  },
  { because: 'lists count whole', from: { a: [1, 2] }, to: { a: [2] }, patch: [{ op: 'replace', path: '/spec/a', value: [2] }] },
];

for (const { because, from, to, patch } of CASES) {
  test(because, () => {
    assert.deepEqual(jsonPatchBetween(from, to, '/spec'), patch);
  });
}
