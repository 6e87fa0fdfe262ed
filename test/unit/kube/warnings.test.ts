import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWarnings } from '../../../src/kube/transport/warnings.ts';

test('a warning is its quoted sentence', () => {
  assert.deepEqual(parseWarnings('299 - "unknown field \\"spec.x\\""'), ['unknown field "spec.x"']);
});

test('several warnings come in one header or in several, commas in the sentences included, each reported once', () => {
  const header = ['299 - "one, two", 299 kube "a \\\\ backslash"', '299 - "one, two"'];
  assert.deepEqual(parseWarnings(header), ['one, two', 'a \\ backslash']);
});

test('no header is no warning, and neither is anything that does not follow the form', () => {
  assert.deepEqual([parseWarnings(undefined), parseWarnings('beware'), parseWarnings('299 - "open')], [[], [], []]);
});
