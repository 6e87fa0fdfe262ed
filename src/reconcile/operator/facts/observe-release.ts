import { SECRET } from '../../../domain/kubernetes/resource-types.ts';
import type { OperatorPorts, ReleaseRef } from '../ports.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { RELEASE_STATUSES, type ReleaseStatus } from '../../../domain/operator/release.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { lastHealthyRevision, type RevisionRecord, type RevisionResults } from '../../../domain/operator/revision-history.ts';
import { CONFIG_DIGEST_LABEL } from '../retry.ts';
import type { Work } from '../work.ts';

/** Looks at the labels of Helm's release records; their content, which holds values and manifests, stays in the cluster. */
export async function observeRelease(
  cluster: Pick<OperatorPorts['cluster'], 'listMetadata'>,
  { release, namespace }: ReleaseRef,
  { label, signal }: { readonly label: string; readonly signal: AbortSignal },
): Promise<ReleaseFact> {
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector, signal });
  return classifyRelease(items, label);
}

/** What is known of a release without asking helm. */
export type ReleaseFact = { readonly kind: 'Absent' } | ForeignRelease | OwnRelease;

export interface ForeignRelease {
  readonly kind: 'Foreign';
  /** The label value of the Operator that owns it; empty when none does. */
  readonly owner: string;
  readonly revision: number;
  readonly status: ReleaseStatus;
}

export interface OwnRelease {
  readonly kind: 'Own';
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** The configuration digest of the newest revision; empty when it has none. */
  readonly configDigest: string;
  /** All revisions that Helm keeps, newest first. */
  readonly records: readonly RevisionRecord[];
}

/** A release is ours when its records carry our label; of several revisions the newest counts. */
function classifyRelease(objects: readonly KubeObject[], label: string): ReleaseFact {
  const live = objects.filter(({ metadata }) => metadata.labels?.['status'] !== 'uninstalled');
  const records = live.map(recordOf).sort((a, b) => b.revision - a.revision);
  const [newest] = records;
  if (newest === undefined) return { kind: 'Absent' };
  const { revision, status, configDigest } = newest;
  const owners = live.map(({ metadata }) => metadata.labels?.[OURS.operatorLabel]).filter((owner) => owner !== undefined);
  if (!owners.includes(label)) return { kind: 'Foreign', owner: owners[0] ?? '', revision, status };
  return { kind: 'Own', revision, status, configDigest, records };
}

function recordOf({ metadata: { labels = {}, creationTimestamp = '' } }: KubeObject): RevisionRecord {
  return {
    revision: Number(labels['version'] ?? 0),
    status: RELEASE_STATUSES.find((word) => word === labels['status']) ?? 'unknown',
    configDigest: labels[CONFIG_DIGEST_LABEL] ?? '',
    time: creationTimestamp,
  };
}

/** What the history tells about the newest revision. */
export interface PastFact {
  readonly results: RevisionResults;
  /** The newest revision has had its time to become healthy. */
  readonly overdue: boolean;
  /** The revision to go back to should the newest one have failed; absent when there is none. */
  readonly recovery?: number;
}

/** Reads the history for what is to be decided about the newest revision. Pure but for the clock. */
export function readHistory({ status, spec, ports }: Pick<Work, 'status' | 'spec' | 'ports'>, release: ReleaseFact): PastFact {
  const [newest] = release.kind === 'Own' ? release.records : [];
  if (release.kind !== 'Own' || newest === undefined) return { results: {}, overdue: false };
  const entry = status.history.find(({ revision, time }) => revision === newest.revision && time === newest.time);
  const { tested, healthy } = entry ?? {};
  const recovery = lastHealthyRevision(status.history, release.records);
  const age = ports.now().getTime() - Date.parse(newest.time);
  return {
    results: { ...(tested === undefined ? {} : { tested }), ...(healthy === undefined ? {} : { healthy }) },
    overdue: healthy !== true && age > spec.upgrade.healthTimeout,
    ...(recovery === undefined ? {} : { recovery }),
  };
}
