import type { Rollback } from '../../src/domain/operator/kind/status-fields.ts';
import type { Health } from '../../src/domain/health/health.ts';
import type { CrdFact } from '../../src/reconcile/operator/facts/observe-crds.ts';
import type { ForeignRelease, OwnRelease } from '../../src/reconcile/helm-release/observe-release.ts';
import type { Chart } from '../../src/reconcile/helm-release/ports.ts';
import type { ActiveFacts } from '../../src/reconcile/operator/state.ts';

/** Facts about Operators for tables: one in sync, and what may differ. */
export const CHART: Chart = { digest: 'sha256:1', path: '/c.tgz', contents: { metadata: { name: 'c', version: '1.0.0' }, crds: [] } };
export const FETCHED = { chart: CHART, configDigest: 'today', values: { values: {}, provenance: [], secrets: [], revisions: [] } };
export const ABSENT = { kind: 'Absent' } as const;
export const LIVING: ActiveFacts = {
  hasFinalizer: true,
  suspended: false,
  wait: 0,
  asked: false,
  forced: false,
  adopt: false,
  remediation: 'None',
  testing: false,
  release: own(),
  past: { results: {}, overdue: false },
  crds: [crd('as')],
  expectedCrds: ['as'],
  chart: FETCHED,
  health: health('Healthy'),
  driftMode: 'Enabled',
};
export const RECOVERABLE = { remediation: 'Rollback', past: { results: {}, overdue: false, recovery: 1 } } as const;
export const LATE = { remediation: 'Rollback', past: { results: {}, overdue: true, recovery: 1 } } as const;
export const UNREADY = { waiting: [{ operator: 'n/o', why: 'it is ERROR' }] };
export const TESTED_BADLY = { tested: false } as const;
export const ROLLBACK: Rollback = {
  digest: 'today',
  chart: 'c 1.0.0',
  revision: 2,
  toRevision: 1,
  cause: 'UpgradeFailed',
  message: 'x',
  generation: 1,
  requestedAt: '',
  time: '2026-01-01T00:00:00Z',
};

export function own(more: Partial<OwnRelease> = {}): OwnRelease {
  return { kind: 'Own', revision: 1, status: 'deployed', configDigest: 'today', recordVersion: '1', records: [], ...more };
}

export function foreign(more: Partial<ForeignRelease> = {}): ForeignRelease {
  return { kind: 'Foreign', owner: '', revision: 1, status: 'deployed', ...more };
}

export function health(word: Health['status']): Health {
  return { status: word, message: word };
}

export function crd(name: string, established = true): CrdFact {
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

export function drift(contended = false): NonNullable<ActiveFacts['drift']> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const type = { group: '', version: 'v1', resource: 'configmaps' };
  return { contended, uncompared: [], drifted: [{ type, object, drifts: [{ object: 'ConfigMap n/a', path: 'data.a', managers: [] }] }] };
}
