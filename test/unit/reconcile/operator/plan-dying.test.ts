import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextDeletingAction, type DeletingAction } from '../../../../src/reconcile/operator/next-action.ts';
import { determineDeletingState, type DeletingFacts, type DeletingState } from '../../../../src/reconcile/operator/state.ts';
import { own, foreign, crd } from '../../../support/operator-facts.ts';

describe('what an Operator that is being deleted is, and what to do about it', () => {
  const used = [
    {
      crd: crd('as'),
      type: { group: 'g', version: 'v1', resource: 'as' },
      items: [{ apiVersion: 'g/v1', kind: 'A', metadata: { name: 'x' } }],
      total: 1,
    },
  ];
  const unused = used.map((fact) => ({ ...fact, items: [], total: 0 }));
  const dying: DeletingFacts = { hasFinalizer: true, policy: 'Block', release: own(), crds: [crd('as')], instances: unused };
  const cases: readonly { title: string; facts: Partial<DeletingFacts>; state: DeletingState['kind']; act: DeletingAction['kind'] }[] = [
    {
      title: 'one without our finalizer is left to the api-server',
      facts: { hasFinalizer: false, instances: used },
      state: 'Released',
      act: 'leave',
    },
    { title: 'instances block it', facts: { instances: used }, state: 'InUse', act: 'block' },
    {
      title: 'a cascade deletes instances first',
      facts: { policy: 'Cascade', instances: used },
      state: 'DeletingInstances',
      act: 'delete-instances',
    },
    {
      title: 'an orphaned one is disowned, instances or not',
      facts: { policy: 'Orphan', instances: used },
      state: 'ReleaseKept',
      act: 'disown',
    },
    { title: 'without instances its release goes', facts: {}, state: 'Installed', act: 'uninstall' },
    {
      title: 'a half made release goes, too',
      facts: { release: own({ status: 'pending-install' }) },
      state: 'Installed',
      act: 'uninstall',
    },
    {
      title: 'a release that is half gone goes for good',
      facts: { release: own({ status: 'uninstalling' }) },
      state: 'Installed',
      act: 'uninstall',
    },
    { title: 'a release of somebody else stays', facts: { release: foreign() }, state: 'CrdsDeleted', act: 'finish' },
    {
      title: 'an orphaned one without our finalizer is left to the api-server',
      facts: { hasFinalizer: false, policy: 'Orphan' },
      state: 'Released',
      act: 'leave',
    },
    { title: 'without release its definitions stay', facts: { release: { kind: 'Absent' } }, state: 'CrdsDeleted', act: 'finish' },
    {
      title: 'a cascade deletes definitions last',
      facts: { policy: 'Cascade', release: { kind: 'Absent' } },
      state: 'DeletingCrds',
      act: 'delete-crds',
    },
    {
      title: 'a cascade without definitions is at its end',
      facts: { policy: 'Cascade', release: { kind: 'Absent' }, crds: [] },
      state: 'CrdsDeleted',
      act: 'finish',
    },
  ];
  for (const { title, facts, state, act } of cases) {
    it(title, () => {
      const determined = determineDeletingState({ ...dying, ...facts });
      assert.equal(determined.kind, state);
      assert.equal(nextDeletingAction(determined).kind, act);
    });
  }
});
