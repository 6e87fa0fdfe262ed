import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reservedNames } from '../../../../src/domain/app-definition/reserved-names.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { FetchedDefinition } from '../../../../src/reconcile/app-definition/fetch-definition.ts';
import {
  type ActiveFacts,
  type ActiveState,
  type DeletingFacts,
  type DeletingState,
  determineActiveState,
  determineDeletingState,
} from '../../../../src/reconcile/app-definition/state.ts';

const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.apps.chandlery.dev' },
};
const revision: KubeObject = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppRevision', metadata: { name: 'shop-1' } };
const metadata = { name: 'shop', version: '1.0.0', dependencies: [] };
const chart: FetchedDefinition = { metadata, digest: 'sha256:0', values: {}, revision };
const names = { kind: 'Shop', plural: 'shops', singular: 'shop', shortNames: [] };
const own = { kind: 'Own', crd, applied: 'UpToDate', serving: 'Established' } as const;
const generated = { names, candidate: crd, crd: own, revision: 'Exists', taken: [] } as const;
const ready: ActiveFacts = { hasFinalizer: true, suspended: false, fetched: { kind: 'Fetched', chart }, recorded: names, generated };
const error = new AppError('ChartNotFound', 'chart: there is none');
const fault = { instance: 'Shop a/b', path: 'spec.values.a', message: 'it is null' };
const verdict = (faults: readonly (typeof fault)[]) => ({ crd: crd.metadata.name, findings: [], faults });

describe('the state of an AppDefinition that stays', () => {
  const cases: readonly { title: string; facts: Partial<ActiveFacts>; kind: ActiveState['kind'] }[] = [
    { title: 'nothing is made before the finalizer is there', facts: { hasFinalizer: false }, kind: 'FinalizerMissing' },
    { title: 'a suspended one is left alone', facts: { suspended: true }, kind: 'Suspended' },
    {
      title: 'a chart that cannot be fetched is reported',
      facts: { fetched: { kind: 'Failed', error, retryAfter: 1 } },
      kind: 'FetchFailed',
    },
    {
      title: 'a foreign CRD is never taken over, even before names are written down',
      facts: { recorded: { ...names, plural: 'old' }, generated: { ...generated, crd: { kind: 'Foreign', message: 'm' } } },
      kind: 'Conflict',
    },
    {
      title: 'the CRD of its former name is waited for while that one stays',
      facts: { recorded: { ...names, plural: 'old' }, generated: { ...generated, crd: { kind: 'Former', message: 'm' } } },
      kind: 'MovePending',
    },
    {
      title: 'a name of Kubernetes or Chandlery is not taken, nor written down',
      facts: {
        recorded: { ...names, plural: 'old' },
        generated: { ...generated, crd: { kind: 'Missing' }, taken: reservedNames({ ...names, shortNames: ['svc'] }) },
      },
      kind: 'NamesReserved',
    },
    { title: 'names are written down first', facts: { recorded: { ...names, plural: 'old' } }, kind: 'NamesUnrecorded' },
    {
      title: 'a breaking schema leaves no revision',
      facts: { generated: { ...generated, revision: 'Missing', crd: { ...own, applied: 'Outdated' }, stored: verdict([fault]) } },
      kind: 'Breaking',
    },
    {
      title: 'the revision comes before the CRD',
      facts: { generated: { ...generated, revision: 'Missing', crd: { kind: 'Missing' } } },
      kind: 'RevisionMissing',
    },
    {
      title: 'a schema that instances fit is applied',
      facts: { generated: { ...generated, crd: { ...own, applied: 'Outdated' }, stored: verdict([]) } },
      kind: 'CrdOutdated',
    },
    {
      title: 'names that another CRD has are a conflict',
      facts: { generated: { ...generated, crd: { ...own, serving: 'Pending', rejection: 'm' } } },
      kind: 'Conflict',
    },
    { title: 'a CRD is waited for', facts: { generated: { ...generated, crd: { ...own, serving: 'Pending' } } }, kind: 'Establishing' },
    { title: 'it is ready when the kind is served', facts: {}, kind: 'Ready' },
  ];
  for (const { title, facts, kind } of cases) it(title, () => assert.equal(determineActiveState({ ...ready, ...facts }).kind, kind));
});

describe('the state of an AppDefinition that is being deleted', () => {
  const instance: KubeObject = { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Shop', metadata: { namespace: 'a', name: 'b' } };
  const cases: readonly { title: string; facts: Partial<DeletingFacts>; kind: DeletingState['kind'] }[] = [
    { title: 'without our finalizer it is not its affair any more', facts: { hasFinalizer: false }, kind: 'Finalized' },
    { title: 'Block waits for instances', facts: { instances: [instance] }, kind: 'InUse' },
    { title: 'Cascade deletes instances', facts: { policy: 'Cascade', instances: [instance] }, kind: 'DeletingInstances' },
    { title: 'then the CRD goes', facts: {}, kind: 'CrdLeft' },
    { title: 'then the finalizer', facts: { crd: undefined }, kind: 'CrdDeleted' },
    {
      title: 'a renamed one waits for its new name, whatever its policy',
      facts: { policy: 'Cascade', instances: [instance], move: { kind: 'Begun', successor: 'store' } },
      kind: 'Moving',
    },
    {
      title: 'a renamed one ends when its new name has the kind, although there are instances',
      facts: { crd: undefined, instances: [instance], move: { kind: 'Done', successor: 'store' } },
      kind: 'Moved',
    },
    {
      title: 'a renamed one whose new name generates another kind deletes no instances',
      facts: { policy: 'Cascade', instances: [instance], move: { kind: 'Impossible', successor: 'store' } },
      kind: 'CannotMove',
    },
    {
      title: 'a renamed one whose new name is gone again keeps everything',
      facts: { policy: 'Cascade', instances: [instance], move: { kind: 'Aborted' } },
      kind: 'Kept',
    },
    { title: 'Orphan keeps everything', facts: { policy: 'Orphan', instances: [instance] }, kind: 'Kept' },
  ];
  const facts: DeletingFacts = { hasFinalizer: true, policy: 'Block', crd, instances: [] };
  for (const { title, facts: some, kind } of cases) it(title, () => assert.equal(determineDeletingState({ ...facts, ...some }).kind, kind));
});
