import { findCondition } from '../kubernetes/condition.ts';
import { deletionPreview } from '../operator/deletion.ts';
import { creatorOf } from '../kubernetes/creator.ts';
import { etagOf } from '../kubernetes/etag.ts';
import { specOf } from '../kind/kind.ts';
import type { OperatorView } from '../operator/operator.ts';
import { OURS } from '../kubernetes/names.ts';
import { OPERATOR_KIND, type OperatorFields } from '../operator/kind/operator-kind.ts';
import type { LegacyStatus } from '../operator/kind/status-fields.ts';
import { type OperatorStatus, parseOperatorStatus } from '../operator/operator-status.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** An Operator as admins see it. */
export function operatorView(operator: KubeObject): OperatorView {
  const { metadata } = operator;
  const spec = specOf(OPERATOR_KIND, operator);
  const status = parseOperatorStatus(operator);
  const { values, release, crds, pendingUpgrade, history, conditions } = status;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    displayName: spec.catalog.displayName ?? metadata.name,
    category: spec.catalog.category ?? 'Other',
    ...sourceOf(operator),
    status: legacyStatusOf(operator, status),
    message: messageOf(status),
    chart: chartOf(spec, status),
    values,
    ...(release === undefined ? {} : { release }),
    crds,
    ...(pendingUpgrade === undefined ? {} : { pendingUpgrade }),
    history,
    ...(metadata.deletionTimestamp === undefined ? {} : { deletion: deletionOf(spec, status) }),
    conditions,
    deletionPolicy: spec.deletionPolicy,
    suspended: spec.suspend,
    created: metadata.creationTimestamp ?? '',
    ...creatorOf(operator),
    etag: etagOf(operator),
  };
}

/** `status.status` as admins see it: an Operator that nobody has looked at is being installed, one that is being deleted says so. */
export function legacyStatusOf(operator: KubeObject, { status = 'INSTALLING' } = parseOperatorStatus(operator)): LegacyStatus {
  return operator.metadata.deletionTimestamp === undefined ? status : 'DELETING';
}

/** Empty when all is well. */
function messageOf({ status, conditions }: OperatorStatus): string {
  const [stalled, ready] = [findCondition(conditions, 'Stalled'), findCondition(conditions, 'Ready')];
  return status === 'READY' && ready?.status !== 'False' ? '' : stalled?.message || ready?.message || 'Not reconciled yet';
}

function deletionOf({ deletionPolicy }: OperatorFields, { deletion, release }: OperatorStatus): OperatorView['deletion'] & {} {
  return deletionPreview({ policy: deletionPolicy, deletion, released: release !== undefined });
}

function sourceOf({ metadata: { labels = {} } }: KubeObject): Pick<OperatorView, 'source'> {
  const source = labels[OURS.sourceLabel];
  return source === undefined ? {} : { source };
}

function chartOf({ chartURL, chart }: OperatorFields, { chart: found, availableVersion }: OperatorStatus): OperatorView['chart'] {
  const address = chartURL ?? (chart === undefined ? '' : `${chart.repoURL.replace(/\/$/, '')}/${chart.name}`);
  return { address, ...found, ...(availableVersion === undefined ? {} : { availableVersion }) };
}
