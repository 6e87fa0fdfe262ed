import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageOfItems } from '../../../src/api/paging.ts';

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

  it('is not shifted by an item that is gone', () => {
    const { next } = pageOfItems(items, self, { limit: 2 });
    assert.deepEqual(pageOfItems(['c', 'd', 'e'], self, { limit: 2, after: next }).items, ['c', 'd']);
  });

  it('rejects a cursor that is not ours', () => {
    assert.throws(() => pageOfItems(items, self, { after: '!!' }), { code: 'MalformedRequest' });
  });
});
