import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byNewestId, pageOfItems } from '../../../src/api/paging.ts';

const items = ['d', 'a', 'e', 'b', 'c'];
const self = (item: string): string => item;

describe('a page of a list', () => {
  it('follows another until all were seen once', () => {
    const first = pageOfItems(items, self, { limit: 2 });
    const second = pageOfItems(items, self, { limit: 2, after: first.next });
    const third = pageOfItems(items, self, { limit: 2, after: second.next });
    assert.deepEqual([first.items, second.items, third.items], [['a', 'b'], ['c', 'd'], ['e']]);
    assert.equal(third.next, undefined);
  });

  it('has the youngest first where they are sorted so', () => {
    const created = ['2026-11-19T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-20T00:00:00.000Z', '2001-01-01T00:00:00.000Z'];
    const requests = created.map((time, index) => ({ created: time, id: String(index) }));
    const first = pageOfItems(requests, byNewestId, { limit: 2 });
    const second = pageOfItems(requests, byNewestId, { limit: 2, after: first.next });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      ['1', '2', '0', '3'],
    );
    assert.equal(second.next, undefined);
  });

  it('is not shifted by an item that is gone', () => {
    const { next } = pageOfItems(items, self, { limit: 2 });
    assert.deepEqual(pageOfItems(['c', 'd', 'e'], self, { limit: 2, after: next }).items, ['c', 'd']);
  });

  it('rejects a cursor that is not ours', () => {
    assert.throws(() => pageOfItems(items, self, { after: '!!' }), { code: 'MalformedRequest' });
  });
});
