import { findCondition } from '../kubernetes/condition.ts';
import { deletionPreview, parseDeletionStatus } from '../operator/deletion.ts';
import { etagOf } from '../kubernetes/etag.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import type { OperatorView } from '../operator/operator.ts';
import { OURS } from '../kubernetes/names.ts';
import { parseDeletionPolicy, parseOperatorSpec } from '../operator/operator-spec.ts';
import { LEGACY_STATUSES, type LegacyStatus, parseProvenance } from '../operator/operator-status.ts';
import { parsePendingUpgrade } from '../upgrade/pending-upgrade.ts';
import { at, booleanAt, isObject, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { parseHistory } from '../operator/revision-history.ts';

/** An Operator as admins see it. */
export function operatorView(operator: KubeObject): OperatorView {
  const { spec, status, metadata } = operator;
  const conditions = listAt(status, 'conditions').filter((item) => isObject(item)) as unknown as OperatorView['conditions'];
  const reported = reportedStatus(operator);
  const stalled = findCondition(conditionsOf(operator), 'Stalled');
  const ready = findCondition(conditionsOf(operator), 'Ready');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    displayName: textAt(spec, 'catalog', 'displayName') ?? metadata.name,
    category: textAt(spec, 'catalog', 'category') ?? 'Other',
    ...sourceOf(operator),
    status: legacyStatusOf(operator),
    message: reported === 'READY' && ready?.status !== 'False' ? '' : stalled?.message || ready?.message || 'It has not been looked at yet',
    chart: chartOf(operator),
    values: parseProvenance(status),
    ...releaseOf(objectAt(status, 'release')),
    crds: listAt(status, 'crds').map((crd) => ({
      name: textAt(crd, 'name') ?? '',
      kind: textAt(crd, 'kind') ?? '',
      origin: textAt(crd, 'origin') ?? '',
      established: booleanAt(crd, 'established') ?? false,
      ...(numberAt(crd, 'instances') === undefined ? {} : { instances: numberAt(crd, 'instances') ?? 0 }),
    })),
    ...pendingOf(operator),
    history: parseHistory(status),
    ...deletionOf(operator),
    conditions,
    deletionPolicy: parseDeletionPolicy(textAt(spec, 'deletionPolicy')),
    suspended: booleanAt(spec, 'suspend') ?? false,
    created: metadata.creationTimestamp ?? '',
    etag: etagOf(operator),
  };
}

/** `status.status` as admins see it: an Operator that nobody has looked at is being installed, one that is being deleted says so. */
export function legacyStatusOf(operator: KubeObject): LegacyStatus {
  return operator.metadata.deletionTimestamp === undefined ? reportedStatus(operator) : 'DELETING';
}

function reportedStatus({ status }: KubeObject): LegacyStatus {
  return LEGACY_STATUSES.find((candidate) => candidate === at(status, 'status')) ?? 'INSTALLING';
}

function deletionOf(operator: KubeObject): Pick<OperatorView, 'deletion'> {
  const { status, metadata } = operator;
  if (metadata.deletionTimestamp === undefined) return {};
  const policy = parseOperatorSpec(operator).deletionPolicy;
  const released = textAt(status, 'release', 'name') !== undefined;
  return { deletion: deletionPreview({ policy, deletion: parseDeletionStatus(status), released }) };
}

function pendingOf({ status }: KubeObject): Pick<OperatorView, 'pendingUpgrade'> {
  const pendingUpgrade = parsePendingUpgrade(status);
  return pendingUpgrade === undefined ? {} : { pendingUpgrade };
}

function sourceOf({ metadata: { labels = {} } }: KubeObject): Pick<OperatorView, 'source'> {
  const source = labels[OURS.sourceLabel];
  return source === undefined ? {} : { source };
}

function chartOf({ spec, status }: KubeObject): OperatorView['chart'] {
  const repo = textAt(spec, 'chart', 'repoURL');
  const address =
    textAt(spec, 'chartURL') ?? (repo === undefined ? '' : `${repo.replace(/\/$/, '')}/${textAt(spec, 'chart', 'name') ?? ''}`);
  const found: [string, string][] = ['name', 'version', 'appVersion', 'digest'].flatMap((key) => {
    const value = textAt(status, 'chart', key);
    return value === undefined ? [] : [[key, value] satisfies [string, string]];
  });
  const availableVersion = textAt(status, 'availableVersion');
  return { address, ...Object.fromEntries(found), ...(availableVersion === undefined ? {} : { availableVersion }) };
}

function releaseOf(release: Readonly<Record<string, unknown>>): Pick<OperatorView, 'release'> {
  const name = textAt(release, 'name');
  if (name === undefined) return {};
  return {
    release: {
      name,
      namespace: textAt(release, 'namespace') ?? '',
      revision: numberAt(release, 'revision') ?? 0,
      status: textAt(release, 'status') ?? '',
    },
  };
}
