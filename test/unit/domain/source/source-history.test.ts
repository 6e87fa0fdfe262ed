import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HistoryEntry, InventoryItem } from '../../../../src/domain/source/catalog-source.ts';
import {
  changesOfRevision,
  MAX_REVISIONS,
  NO_CHANGES,
  type RevisionResult,
  withResult,
} from '../../../../src/domain/source/source-history.ts';

const COMMIT = { author: 'Ada <ada@example.com>', message: 'Offer queues\n\nA long story.', time: '2026-01-01T00:00:00Z' };

function result(revision: string, more: Partial<RevisionResult> = {}): RevisionResult {
  return { revision, time: '2026-01-01T00:00:00Z', outcome: 'Applied', applied: 2, message: 'live', changes: NO_CHANGES, ...more };
}

describe('the history of a source', () => {
  it('has what each revision added, changed and removed, also what it removed later', () => {
    const added = withResult([], result('a', { changes: { added: ['Operator default/x'], changed: [], removed: [] }, commit: COMMIT }));
    const changed = withResult(added, result('b', { changes: { added: [], changed: ['Operator default/x'], removed: [] } }));
    const removed = withResult(changed, result('b', { changes: { ...NO_CHANGES, removed: ['Operator default/y'] } }));
    assert.deepEqual(
      removed.map(({ revision, added: more, changed: other, deleted, resources }) => [revision, more, other, deleted, resources]),
      [
        [
          'b',
          0,
          1,
          1,
          [
            { change: 'Changed', resource: 'Operator default/x' },
            { change: 'Removed', resource: 'Operator default/y' },
          ],
        ],
        ['a', 1, 0, 0, [{ change: 'Added', resource: 'Operator default/x' }]],
      ],
    );
    assert.deepEqual([removed[1]?.subject, removed[1]?.author], ['Offer queues', 'Ada <ada@example.com>']);
  });

  it('stays the same when nothing new came of a revision', () => {
    const history = withResult([], result('a'));
    assert.equal(withResult(history, result('a', { time: '2026-02-02T00:00:00Z' })), history);
    assert.equal(withResult(history, result('a', { outcome: 'Failed' })).length, 2);
  });

  it('keeps the last 20 revisions and stays small however much they change', () => {
    const names = Array.from({ length: 500 }, (_one, index) => `AppDefinition ${'n'.repeat(200)}-${index}`);
    let history: readonly HistoryEntry[] = [];
    for (let index = 0; index < 30; index += 1) {
      const commit = { ...COMMIT, message: 'm'.repeat(1_000), author: 'a'.repeat(300) };
      history = withResult(history, result(`r${index}`, { message: 'x'.repeat(5_000), changes: { ...NO_CHANGES, added: names }, commit }));
    }
    assert.deepEqual([history.length, history[0]?.revision, history[0]?.added], [MAX_REVISIONS, 'r29', 500]);
    assert.ok(JSON.stringify(history).length < 28 * 1024, `${JSON.stringify(history).length} bytes`);
  });

  it('does not take for a change of the revision what was healed while it was live', () => {
    const item: InventoryItem = { file: 'a.yaml', apiVersion: 'v1', kind: 'Operator', namespace: 'default', name: 'x', uid: 'u' };
    const attempt = {
      revision: 'b',
      inventory: [item],
      changed: ['Operator default/x', 'Operator default/z'],
      removed: ['Operator default/y'],
    };
    const changes = { added: ['Operator default/z'], changed: ['Operator default/x'], removed: ['Operator default/y'] };
    assert.deepEqual(changesOfRevision({ ...attempt, lastAppliedRevision: 'a' }), changes);
    assert.deepEqual(changesOfRevision({ ...attempt, lastAppliedRevision: 'b' }), { ...NO_CHANGES, removed: ['Operator default/y'] });
  });
});
