import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPending, planUnlock } from '../../../src/domain/release.ts';
import type { ReleaseInfo, ReleaseStatus, UnlockStep } from '../../../src/domain/release.ts';

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

function info(status: ReleaseStatus, revision: number): ReleaseInfo {
  return { name: 'a', namespace: 'b', revision, status, chart: 'c-1', appVersion: '', updated: '', description: '' };
}
