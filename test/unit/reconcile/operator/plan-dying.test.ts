import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planDying, type DyingAct } from '../../../../src/reconcile/operator/plan.ts';
import { determineDyingState, type DyingFacts } from '../../../../src/reconcile/operator/state.ts';
import { own, foreign, crd } from '../../../support/operator-facts.ts';

describe('what to do about an Operator that is being deleted', () => {
  const used = [
    {
      crd: crd('as'),
      type: { group: 'g', version: 'v1', resource: 'as' },
      items: [{ apiVersion: 'g/v1', kind: 'A', metadata: { name: 'x' } }],
      total: 1,
    },
  ];
  const unused = used.map((fact) => ({ ...fact, items: [], total: 0 }));
  const dying: DyingFacts = { guarded: true, policy: 'Block', release: own(), crds: [crd('as')], instances: unused };
  const cases: readonly { title: string; facts: Partial<DyingFacts>; act: DyingAct['kind'] }[] = [
    { title: 'one without our finalizer is left to the api-server', facts: { guarded: false, instances: used }, act: 'leave' },
    { title: 'instances block it', facts: { instances: used }, act: 'block' },
    { title: 'a cascade deletes instances first', facts: { policy: 'Cascade', instances: used }, act: 'delete-instances' },
    { title: 'an orphaned one is disowned, instances or not', facts: { policy: 'Orphan', instances: used }, act: 'disown' },
    { title: 'without instances its release goes', facts: {}, act: 'uninstall' },
    { title: 'a half made release goes, too', facts: { release: own({ status: 'pending-install' }) }, act: 'uninstall' },
    { title: 'a release that is half gone goes for good', facts: { release: own({ status: 'uninstalling' }) }, act: 'uninstall' },
    { title: 'a release of somebody else stays', facts: { release: foreign() }, act: 'finish' },
    { title: 'an orphaned one without our finalizer is left to the api-server', facts: { guarded: false, policy: 'Orphan' }, act: 'leave' },
    { title: 'without release its definitions stay', facts: { release: { kind: 'Absent' } }, act: 'finish' },
    { title: 'a cascade deletes definitions last', facts: { policy: 'Cascade', release: { kind: 'Absent' } }, act: 'delete-crds' },
    {
      title: 'a cascade without definitions is at its end',
      facts: { policy: 'Cascade', release: { kind: 'Absent' }, crds: [] },
      act: 'finish',
    },
  ];
  for (const { title, facts, act } of cases) {
    it(title, () => assert.equal(planDying(determineDyingState({ ...dying, ...facts })).kind, act));
  }
});
