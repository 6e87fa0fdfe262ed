import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isPending,
  type ReleaseInfo,
  type ReleaseStatus,
  unlockAction,
  type UnlockAction,
} from '../../../../src/domain/operator/release.ts';

const CASES: readonly (readonly [string, readonly ReleaseStatus[], UnlockAction])[] = [
  ['no release', [], { kind: 'none' }],
  ['a deployed one', ['superseded', 'deployed'], { kind: 'none' }],
  ['one that failed, which Helm upgrades', ['deployed', 'failed'], { kind: 'none' }],
  ['a first install that never ended', ['pending-install'], { kind: 'uninstall' }],
  ['a second install that never ended, after one that failed', ['failed', 'pending-install'], { kind: 'uninstall' }],
  ['an upgrade that never ended', ['superseded', 'deployed', 'pending-upgrade'], { kind: 'rollback', revision: 2 }],
  ['an upgrade of a release that never worked', ['failed', 'pending-upgrade'], { kind: 'uninstall' }],
  ['an upgrade after a failed one', ['deployed', 'failed', 'pending-upgrade'], { kind: 'rollback', revision: 1 }],
  ['a rollback that never ended', ['superseded', 'superseded', 'failed', 'pending-rollback'], { kind: 'rollback', revision: 2 }],
  ['an uninstall that never ended', ['uninstalling'], { kind: 'uninstall' }],
];

for (const [title, statuses, step] of CASES) {
  test(`unlocking ${title}`, () => {
    const history = statuses.map((status, index) => info(status, index + 1));
    assert.deepEqual(unlockAction(history), step);
    assert.deepEqual(unlockAction([...history].reverse()), step);
    const newest = history.at(-1);
    assert.equal(newest !== undefined && isPending(newest), step.kind !== 'none');
  });
}

const BOUND: readonly (readonly [string, readonly ReleaseStatus[], number, UnlockAction])[] = [
  ['goes where it was bound for', ['superseded', 'deployed', 'pending-rollback'], 1, { kind: 'rollback', revision: 1 }],
  [
    'goes to the last one that was deployed when that is gone',
    ['superseded', 'deployed', 'pending-rollback'],
    7,
    { kind: 'rollback', revision: 2 },
  ],
  ['does not go to a revision that failed', ['deployed', 'failed', 'pending-rollback'], 2, { kind: 'rollback', revision: 1 }],
];

for (const [title, statuses, toRevision, step] of BOUND) {
  test(`unlocking a rollback that never ended ${title}`, () => {
    assert.deepEqual(
      unlockAction(
        statuses.map((status, index) => info(status, index + 1)),
        toRevision,
      ),
      step,
    );
  });
}

test('unlocking an upgrade that never ended does not go where an earlier rollback was bound for', () => {
  const history = (['superseded', 'deployed', 'pending-upgrade'] as const).map((status, index) => info(status, index + 1));
  assert.deepEqual(unlockAction(history, 1), { kind: 'rollback', revision: 2 });
});

function info(status: ReleaseStatus, revision: number): ReleaseInfo {
  return { name: 'a', namespace: 'b', revision, status, chart: 'c-1', appVersion: '', updated: '', description: '' };
}
