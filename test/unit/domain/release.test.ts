import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPending, planUnlock } from '../../../src/domain/operator/release.ts';
import type { ReleaseInfo, ReleaseStatus, UnlockStep } from '../../../src/domain/operator/release.ts';

const CASES: readonly (readonly [string, readonly ReleaseStatus[], UnlockStep])[] = [
  ['no release', [], { act: 'none' }],
  ['a deployed one', ['superseded', 'deployed'], { act: 'none' }],
  ['one that failed, which Helm upgrades', ['deployed', 'failed'], { act: 'none' }],
  ['a first install that never ended', ['pending-install'], { act: 'uninstall' }],
  ['a second install that never ended, after one that failed', ['failed', 'pending-install'], { act: 'uninstall' }],
  ['an upgrade that never ended', ['superseded', 'deployed', 'pending-upgrade'], { act: 'rollback', revision: 2 }],
  ['an upgrade of a release that never worked', ['failed', 'pending-upgrade'], { act: 'uninstall' }],
  ['an upgrade after a failed one', ['deployed', 'failed', 'pending-upgrade'], { act: 'rollback', revision: 1 }],
  ['a rollback that never ended', ['superseded', 'superseded', 'failed', 'pending-rollback'], { act: 'rollback', revision: 2 }],
  ['an uninstall that never ended', ['uninstalling'], { act: 'uninstall' }],
];

for (const [title, statuses, step] of CASES) {
  test(`unlocking ${title}`, () => {
    const history = statuses.map((status, index) => info(status, index + 1));
    assert.deepEqual(planUnlock(history), step);
    assert.deepEqual(planUnlock([...history].reverse()), step);
    const newest = history.at(-1);
    assert.equal(newest !== undefined && isPending(newest), step.act !== 'none');
  });
}

const BOUND: readonly (readonly [string, readonly ReleaseStatus[], number, UnlockStep])[] = [
  ['goes where it was bound for', ['superseded', 'deployed', 'pending-rollback'], 1, { act: 'rollback', revision: 1 }],
  [
    'goes to the last one that was deployed when that is gone',
    ['superseded', 'deployed', 'pending-rollback'],
    7,
    { act: 'rollback', revision: 2 },
  ],
  ['does not go to a revision that failed', ['deployed', 'failed', 'pending-rollback'], 2, { act: 'rollback', revision: 1 }],
];

for (const [title, statuses, toRevision, step] of BOUND) {
  test(`unlocking a rollback that never ended ${title}`, () => {
    assert.deepEqual(
      planUnlock(
        statuses.map((status, index) => info(status, index + 1)),
        toRevision,
      ),
      step,
    );
  });
}

test('unlocking an upgrade that never ended does not go where an earlier rollback was bound for', () => {
  const history = (['superseded', 'deployed', 'pending-upgrade'] as const).map((status, index) => info(status, index + 1));
  assert.deepEqual(planUnlock(history, 1), { act: 'rollback', revision: 2 });
});

function info(status: ReleaseStatus, revision: number): ReleaseInfo {
  return { name: 'a', namespace: 'b', revision, status, chart: 'c-1', appVersion: '', updated: '', description: '' };
}
