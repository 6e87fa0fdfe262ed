import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitAtMost } from '../../../../src/domain/core/wait-at-most.ts';

describe('waiting for work to end', () => {
  it('is content with work that ends well or badly', async () => {
    assert.equal(await waitAtMost(Promise.resolve(1), 10_000), true);
    assert.equal(await waitAtMost(Promise.reject(new Error('no')), 10_000), true);
  });

  it('leaves work that never ends', async () => {
    assert.equal(await waitAtMost(new Promise(() => undefined), 5), false);
  });
});
