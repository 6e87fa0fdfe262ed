import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byNewestId, pageOfItems } from '../../../src/api/paging.ts';

test('plans come page by page, the youngest first', () => {
  const plans = ['2026-11-19T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-20T00:00:00.000Z', '2001-01-01T00:00:00.000Z'].map(
    (created, index) => ({ created, id: String(index) }),
  );
  const first = pageOfItems(plans, byNewestId, { limit: 2 });
  const second = pageOfItems(plans, byNewestId, { limit: 2, after: first.next });
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ['1', '2', '0', '3'],
  );
  assert.equal(second.next, undefined);
});
