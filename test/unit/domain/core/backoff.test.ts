import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffDelay } from '../../../../src/domain/core/backoff.ts';

const OPTIONS = { first: 100, longest: 1_000 };

test('the delay doubles with each failure, up to the longest', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 5_000].map((failures) => backoffDelay(failures, OPTIONS, 0)),
    [100, 200, 400, 800, 1_000, 1_000],
  );
});

test('chance takes up to half of the delay away', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((random) => backoffDelay(3, OPTIONS, random)),
    [400, 300, 200],
  );
});
