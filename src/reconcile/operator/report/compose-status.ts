import type { Attempt, LegacyStatus, PendingUpgrade, Rollback } from '../../../domain/operator/kind/status-fields.ts';
import { mergeConditions, type Condition, type ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { RevisionResults } from '../../../domain/operator/revision-history.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import { deletionStatus } from '../acts/deletion.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { InstancesFact } from '../facts/observe-instances.ts';
import type { ReleaseFact } from '../../helm-release/observe-release.ts';
import type { Chart } from '../../helm-release/ports.ts';
import { chartStatus, releaseHistory, releaseStatus } from '../../helm-release/release-status.ts';
import { nowOf, type Work } from '../work.ts';
import { unapproved } from './conditions.ts';

/** The result of an action. Members that it leaves out keep their value in the status. */
export interface Finding {
  readonly legacyStatus: LegacyStatus;
  readonly ready: ConditionInput;
  /** `Reconciling` or `Stalled`, while one of them is true. */
  readonly phase?: ConditionInput;
  /** Whether what somebody asked for is still being done; by default it has ended. */
  readonly request?: 'Underway';
  readonly conditions: readonly ConditionInput[];
  readonly release: ReleaseFact;
  readonly crds: readonly CrdFact[];
  readonly instances?: readonly InstancesFact[];
  readonly chart?: Chart;
  /** The digest of chart and values. */
  readonly configDigest?: string;
  /** What runs instead of the chart, when that was rolled back. */
  readonly running?: OperatorStatus['chart'];
  /** What was found out about the newest revision. */
  readonly results?: RevisionResults;
  /** A rollback that is about to begin; `Forgotten` when something else is installed. */
  readonly rollback?: Rollback | 'Forgotten';
  /** Which layer set each value of the release. */
  readonly values?: OperatorStatus['values'];
  /** An upgrade that waits; by default the one that the chart tells of. */
  readonly pending?: PendingUpgrade;
  readonly attempt?: Attempt;
  readonly failures?: number;
}

/** Conditions that stand until something else is known. */
const PERMANENT = new Set(['Fetched', 'Uplifted', 'Released', 'CRDsEstablished', 'Healthy', 'Tested', 'Approved']);

/**
 * The whole status of an Operator after what was found out. Pure but for the clock.
 *
 * @param catalog what its `catalog` block is worth beside its kinds, which takes long to find out.
 */
export function composeStatus(work: Work, finding: Finding, catalog: readonly ConditionInput[] = []): OperatorStatus {
  const { status: earlier, generation } = work;
  const handled = handledRequest(work, finding);
  const chart = finding.running ?? (finding.chart === undefined ? earlier.chart : chartStatus(finding.chart));
  const rollback = finding.rollback === 'Forgotten' ? undefined : (finding.rollback ?? earlier.rollback);
  const attempt = finding.attempt ?? earlier.lastAttempted;
  const availableVersion = finding.chart === undefined ? earlier.availableVersion : finding.chart.availableVersion;
  const pending = finding.pending ?? (finding.chart === undefined ? earlier.pendingUpgrade : finding.chart.pending);
  const crds = finding.crds.map((crd) => crdStatus(work, crd, finding.instances));
  return {
    status: finding.legacyStatus,
    observedGeneration: generation,
    ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }),
    customResourceDefinitions: crds.map((crd) => crd.name),
    ...(chart === undefined ? {} : { chart }),
    ...(availableVersion === undefined ? {} : { availableVersion }),
    ...(pending === undefined ? {} : { pendingUpgrade: pending }),
    values: finding.values ?? earlier.values,
    ...releaseStatus(work.release, finding.release),
    history: releaseHistory({
      status: earlier,
      release: finding.release,
      installing: installingOf(finding),
      results: finding.results,
      rollback: rollback ?? earlier.rollback,
      limit: work.spec.historyLimit,
    }),
    ...(rollback === undefined ? {} : { rollback }),
    crds,
    ...(finding.instances === undefined ? {} : { deletion: deletionStatus(finding.instances) }),
    ...(attempt === undefined ? {} : { lastAttempted: attempt }),
    failures: finding.failures ?? earlier.failures,
    conditions: composeConditions(work, finding, catalog),
  };
}

/** The value of the annotation that asked for what has ended now, or, while something is underway or suspended, for what ended before. */
function handledRequest({ operator, spec, status }: Work, { request }: Finding): string | undefined {
  const asked = operator.metadata.annotations?.[OURS.reconcileAt];
  return spec.suspend || request === 'Underway' ? status.lastHandledReconcileAt : (asked ?? status.lastHandledReconcileAt);
}

function composeConditions(work: Work, { conditions, ready, phase, chart }: Finding, catalog: readonly ConditionInput[]): Condition[] {
  const { status, spec, generation } = work;
  const decided: ConditionInput[] = [...conditions, ...catalog, ...(chart === undefined ? [] : unapproved(chart)), ready];
  if (phase !== undefined) decided.push(phase);
  const known = new Set(decided.map(({ type }) => type));
  const retained = status.conditions.filter(
    ({ type }) =>
      PERMANENT.has(type) && !known.has(type) && (type !== 'Tested' || spec.test.enable) && (type !== 'Approved' || chart === undefined),
  );
  const current = decided.map((condition) => ({ ...condition, observedGeneration: generation }));
  return mergeConditions(status.conditions, [...retained, ...current], nowOf(work));
}

function crdStatus(work: Work, crd: CrdFact, counts: readonly InstancesFact[] | undefined): OperatorStatus['crds'][number] {
  const { name, kind, origin, established } = crd;
  const instances =
    counts === undefined ? watchedCount(work, name) : counts.find((fact) => fact.crd.name === name && isCounted(fact))?.total;
  return { name, kind, origin, established, ...(instances === undefined ? {} : { instances }) };
}

function isCounted({ unavailable }: InstancesFact): boolean {
  return unavailable === undefined;
}

/** A number that is not known now stays what it was: an admission policy rejects the deletion of Operators that have instances. */
function watchedCount({ ports, status }: Work, crd: string): number | undefined {
  return ports.instancesOf?.(crd) ?? status.crds.find(({ name }) => name === crd)?.instances;
}

function installingOf({ chart, configDigest = '' }: Finding): { readonly chart: Chart; readonly configDigest: string } | undefined {
  return chart === undefined || configDigest === '' ? undefined : { chart, configDigest };
}
