import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { determineDeletingState, type DeletingFacts, type DeletingState } from '../../../../src/reconcile/operator/state.ts';
import { own, foreign, crd } from '../../../support/operator-facts.ts';

describe('what an Operator that is being deleted is', () => {
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
  const cases: readonly { title: string; facts: Partial<DeletingFacts>; state: DeletingState['kind'] }[] = [
    {
      title: 'one without our finalizer is left to the api-server',
      facts: { hasFinalizer: false, instances: used },
      state: 'Finalized',
    },
    { title: 'instances block it', facts: { instances: used }, state: 'InUse' },
    {
      title: 'so do instances that nobody can count now',
      facts: { instances: unused.map((fact) => ({ ...fact, unavailable: 'the conversion webhook does not answer' })) },
      state: 'InUse',
    },
    {
      title: 'a cascade deletes instances first',
      facts: { policy: 'Cascade', instances: used },
      state: 'DeletingInstances',
    },
    {
      title: 'an orphaned one is disowned, instances or not',
      facts: { policy: 'Orphan', instances: used },
      state: 'ReleaseKept',
    },
    {
      title: 'one that is renamed is left to its successor, whatever its policy',
      facts: { policy: 'Cascade', instances: used, move: { kind: 'Moving', successor: 'ns/new' } },
      state: 'Moving',
    },
    { title: 'one whose successor has everything goes alone', facts: { move: { kind: 'Moved', successor: 'ns/new' } }, state: 'Moved' },
    {
      title: 'one whose successor has another release is not uninstalled',
      facts: { move: { kind: 'Impossible', successor: 'ns/new', message: 'no' } },
      state: 'CannotMove',
    },
    { title: 'one whose successor is deleted first leaves everything', facts: { move: { kind: 'Aborted' } }, state: 'ReleaseKept' },
    { title: 'without instances its release goes', facts: {}, state: 'Installed' },
    {
      title: 'a half made release goes, too',
      facts: { release: own({ status: 'pending-install' }) },
      state: 'Installed',
    },
    {
      title: 'a release that is half gone goes for good',
      facts: { release: own({ status: 'uninstalling' }) },
      state: 'Installed',
    },
    { title: 'a release of somebody else stays', facts: { release: foreign() }, state: 'CrdsDeleted' },
    {
      title: 'an orphaned one without our finalizer is left to the api-server',
      facts: { hasFinalizer: false, policy: 'Orphan' },
      state: 'Finalized',
    },
    { title: 'without release its CRDs stay', facts: { release: { kind: 'Absent' } }, state: 'CrdsDeleted' },
    {
      title: 'a cascade deletes CRDs last',
      facts: { policy: 'Cascade', release: { kind: 'Absent' } },
      state: 'DeletingCrds',
    },
    {
      title: 'a cascade without CRDs is at its end',
      facts: { policy: 'Cascade', release: { kind: 'Absent' }, crds: [] },
      state: 'CrdsDeleted',
    },
  ];
  for (const { title, facts, state } of cases) {
    it(title, () => {
      const determined = determineDeletingState({ ...dying, ...facts });
      assert.equal(determined.kind, state);
    });
  }
});
