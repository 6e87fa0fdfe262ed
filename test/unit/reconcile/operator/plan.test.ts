import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../src/domain/errors.ts';
import type { Health } from '../../../../src/domain/health.ts';
import type { CrdFact } from '../../../../src/reconcile/operator/observe-crds.ts';
import type { OwnRelease } from '../../../../src/reconcile/operator/observe-release.ts';
import { planDying, planLiving } from '../../../../src/reconcile/operator/plan.ts';
import type { Chart } from '../../../../src/reconcile/operator/ports.ts';
import { determineDyingState, determineLivingState, type DyingFacts, type LivingFacts } from '../../../../src/reconcile/operator/state.ts';

const CHART: Chart = { digest: 'sha256:1', path: '/c.tgz', contents: { metadata: { name: 'c', version: '1.0.0' }, crds: [] } };
const FETCHED = { chart: CHART, step: 'today', values: { values: {}, provenance: [], secrets: [], revisions: [] } };
const LIVING: LivingFacts = {
  guarded: true,
  suspended: false,
  wait: 0,
  release: own(),
  crds: [crd('as')],
  expectedCrds: ['as'],
  chart: FETCHED,
  health: health('Healthy'),
  driftMode: 'Enabled',
};

describe('what to do about an Operator that is to stay', () => {
  const cases: readonly { title: string; facts: Partial<LivingFacts>; act: string }[] = [
    {
      title: 'a suspended one rests, whatever its state',
      facts: { suspended: true, guarded: false, release: { kind: 'Absent' } },
      act: 'rest',
    },
    { title: 'a new one gets our finalizer before anything else', facts: { guarded: false, release: { kind: 'Absent' } }, act: 'guard' },
    {
      title: 'one whose release belongs to somebody else is refused',
      facts: { release: { kind: 'Foreign', owner: '' } },
      act: 'refuse-foreign',
    },
    { title: 'a release that is half installed is unlocked', facts: { release: own({ status: 'pending-install' }) }, act: 'unlock' },
    { title: 'a release that is half upgraded is unlocked', facts: { release: own({ status: 'pending-upgrade' }) }, act: 'unlock' },
    { title: 'a release that is half gone is unlocked', facts: { release: own({ status: 'uninstalling' }) }, act: 'unlock' },
    {
      title: 'a half installed release is unlocked before any waiting',
      facts: { release: own({ status: 'pending-install' }), wait: 9 },
      act: 'unlock',
    },
    { title: 'one whose next attempt is not due waits', facts: { wait: 5, release: { kind: 'Absent' } }, act: 'wait' },
    {
      title: 'one whose chart cannot be fetched says so',
      facts: { chart: { error: new AppError('ChartNotFound', 'x') } },
      act: 'report-unfetched',
    },
    {
      title: 'one whose values cannot be read says so',
      facts: { chart: { chart: CHART, unresolved: new AppError('ValuesInvalid', 'x') } },
      act: 'report-unresolved',
    },
    {
      title: 'one whose dependency is not ready is not installed yet',
      facts: { release: { kind: 'Absent' }, dependencies: { waiting: [{ operator: 'n/o', why: 'it is ERROR' }] } },
      act: 'await-dependencies',
    },
    {
      title: 'one whose dependency is not ready is not upgraded yet',
      facts: { release: own({ step: 'yesterday' }), dependencies: { waiting: [{ operator: 'n/o', why: 'it is ERROR' }] } },
      act: 'await-dependencies',
    },
    {
      title: 'one that depends on itself is not installed',
      facts: { release: { kind: 'Absent' }, dependencies: { waiting: [], cycle: ['n/o', 'n/o'] } },
      act: 'await-dependencies',
    },
    {
      title: 'one whose dependencies are ready is installed',
      facts: { release: { kind: 'Absent' }, dependencies: { waiting: [] } },
      act: 'deploy install',
    },
    { title: 'one without a release is installed', facts: { release: { kind: 'Absent' } }, act: 'deploy install' },
    { title: 'one whose release is of another step is upgraded', facts: { release: own({ step: 'yesterday' }) }, act: 'deploy upgrade' },
    { title: 'one whose last upgrade failed is upgraded again', facts: { release: own({ status: 'failed' }) }, act: 'deploy upgrade' },
    { title: 'one whose definition is gone gets it back', facts: { crds: [] }, act: 'deploy restore' },
    { title: 'one whose definition is not served yet is watched', facts: { crds: [crd('as', false)] }, act: 'watch-progress' },
    { title: 'one whose workloads come up is watched', facts: { health: health('Progressing') }, act: 'watch-progress' },
    { title: 'one whose workloads failed is reported', facts: { health: health('Degraded') }, act: 'report-degraded' },
    { title: 'one whose objects drifted has them put right', facts: { drift: drift() }, act: 'correct-drift' },
    { title: 'one whose objects drifted is ready when it only warns', facts: { drift: drift(), driftMode: 'Warn' }, act: 'mark-ready' },
    { title: 'one whose objects somebody changes again and again is left alone', facts: { drift: drift(true) }, act: 'mark-ready' },
    {
      title: 'one whose definition is gone gets it back before anything is put right',
      facts: { crds: [], drift: drift() },
      act: 'deploy restore',
    },
    { title: 'one that is as it should be is ready', facts: {}, act: 'mark-ready' },
    { title: 'one with a paused workload is ready', facts: { health: health('Suspended') }, act: 'mark-ready' },
  ];
  for (const { title, facts, act } of cases) {
    it(title, () => {
      const planned = planLiving(determineLivingState({ ...LIVING, ...facts }));
      assert.equal(planned.kind === 'deploy' ? `deploy ${planned.verb}` : planned.kind, act);
    });
  }
});

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
  const cases: readonly { title: string; facts: Partial<DyingFacts>; act: string }[] = [
    { title: 'one without our finalizer is left to the api-server', facts: { guarded: false, instances: used }, act: 'leave' },
    { title: 'instances block it', facts: { instances: used }, act: 'block' },
    { title: 'a cascade deletes instances first', facts: { policy: 'Cascade', instances: used }, act: 'delete-instances' },
    { title: 'an orphaned one is disowned, instances or not', facts: { policy: 'Orphan', instances: used }, act: 'disown' },
    { title: 'without instances its release goes', facts: {}, act: 'uninstall' },
    { title: 'a release of somebody else stays', facts: { release: { kind: 'Foreign', owner: '' } }, act: 'finish' },
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

function own(more: Partial<OwnRelease> = {}): OwnRelease {
  return { kind: 'Own', revision: 1, status: 'deployed', step: 'today', ...more };
}

function health(word: Health['word']): Health {
  return { word, message: word };
}

function crd(name: string, established = true): CrdFact {
  const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name } };
  return {
    object,
    name,
    kind: 'A',
    origin: 'crds',
    established,
    group: 'g',
    plural: 'as',
    namespaced: true,
    version: 'v1',
    labelled: true,
  };
}

function drift(contended = false): NonNullable<LivingFacts['drift']> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const type = { group: '', version: 'v1', resource: 'configmaps' };
  return { contended, drifted: [{ type, object, drifts: [{ object: 'ConfigMap n/a', path: 'data.a', managers: [] }] }] };
}
