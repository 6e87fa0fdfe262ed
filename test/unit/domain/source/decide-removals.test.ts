import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InventoryItem } from '../../../../src/domain/source/catalog-source.ts';
import { decideRemovals, untilNextRemoval } from '../../../../src/domain/source/decide-removals.ts';

const NOW = Date.parse('2026-11-28T10:00:00Z');
const item = (name: string, since?: string): InventoryItem => ({
  file: `${name}.yaml`,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'default',
  name,
  ...(since === undefined ? {} : { missing: { since, revision: 'before' } }),
});

interface Case {
  readonly title: string;
  readonly removals: readonly { readonly item: InventoryItem; readonly loss?: string }[];
  readonly owned?: number;
  readonly approved?: string;
  readonly due?: readonly string[];
  /** Name, and when it is removed; undefined: after an approval. */
  readonly pending?: readonly (readonly [name: string, removeAt: string | undefined])[];
}

const DUE = '2026-11-28T09:59:00Z';
const cases: readonly Case[] = [
  { title: 'one that has just lost its document', removals: [{ item: item('a') }], pending: [['a', '2026-11-28T10:01:00Z']] },
  { title: 'one whose delay is over', removals: [{ item: item('a', DUE) }], due: ['a'] },
  { title: 'one second before', removals: [{ item: item('a', '2026-11-28T09:59:01Z') }], pending: [['a', '2026-11-28T10:00:01Z']] },
  { title: 'one that holds something', removals: [{ item: item('a', DUE), loss: 'with 2 instances' }], pending: [['a', undefined]] },
  {
    title: 'one of those beside another',
    removals: [{ item: item('a', DUE), loss: 'with 2 instances' }, { item: item('b', DUE) }],
    due: ['b'],
    pending: [['a', undefined]],
  },
  { title: 'three of ten', removals: ['a', 'b', 'c'].map((name) => ({ item: item(name, DUE) })), due: ['a', 'b', 'c'] },
  {
    title: 'four of ten',
    removals: ['a', 'b', 'c', 'd'].map((name) => ({ item: item(name, DUE) })),
    pending: ['a', 'b', 'c', 'd'].map((name) => [name, undefined]),
  },
  { title: 'one of two', removals: [{ item: item('a', DUE) }], owned: 2, due: ['a'] },
  { title: 'all that the source owns', removals: [{ item: item('a', DUE) }], owned: 1, pending: [['a', undefined]] },
  { title: 'what is approved, at once', removals: [{ item: item('a'), loss: 'with its data' }], approved: 'now', due: ['a'] },
  {
    title: 'what was approved for another revision',
    removals: [{ item: item('a'), loss: 'with its data' }],
    approved: 'before',
    pending: [['a', undefined]],
  },
];

describe('a removal', () => {
  for (const { title, removals, owned = 10, approved, due = [], pending = [] } of cases) {
    it(`of ${title}`, () => {
      const decided = decideRemovals(removals, { revision: 'now', approved, owned, now: NOW, delay: 60_000 });
      assert.deepEqual(
        decided.due.map((one) => one.item.name),
        due,
      );
      assert.deepEqual(
        decided.pending.map((one) => [one.item.name, one.removal.removeAt]),
        pending,
      );
    });
  }

  it('keeps the time and revision of the first reading without the document', () => {
    const { pending } = decideRemovals([{ item: item('a', '2026-11-28T09:59:30Z') }], {
      revision: 'now',
      approved: undefined,
      owned: 10,
      now: NOW,
      delay: 60_000,
    });
    assert.deepEqual(pending[0]?.item.missing, { since: '2026-11-28T09:59:30Z', revision: 'before' });
    const removals = pending.map(({ removal }) => removal);
    assert.equal(untilNextRemoval(removals, { startedAt: NOW, now: NOW + 1_000 }), 29_000);
    // It became due during the attempt, which did not see that.
    assert.equal(untilNextRemoval(removals, { startedAt: NOW, now: NOW + 31_000 }), 0);
    // It was due before, and a fault of the revision kept it.
    assert.equal(untilNextRemoval(removals, { startedAt: NOW + 30_000, now: NOW + 31_000 }), Infinity);
  });
});
