import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { ReleaseRef } from './ports.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { RELEASE_STATUSES, type ReleaseStatus } from '../../domain/operator/release.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { RevisionRecord } from '../../domain/operator/revision-history.ts';
import { CONFIG_DIGEST_LABEL } from './retry.ts';

interface ReleaseQuery {
  /** The label by which the records of releases name whom they belong to; by default that of Operators. */
  readonly key?: string;
  /** Its value on our own. */
  readonly label: string;
  /** What a watch of the records has. Default: the cluster is asked. */
  readonly watched?: WatchedRecords;
  readonly signal: AbortSignal;
}

interface WatchedRecords {
  /** Undefined until all have been listed. */
  readonly records: readonly KubeObject[] | undefined;
  /** The newest revision that Chandlery has made or begun to make; undefined before the first. A watch without it is behind the cluster. */
  readonly managedRevision: number | undefined;
}

/** Looks at the labels of Helm's release records; their content, which holds values and manifests, stays in the cluster. */
export async function observeRelease(
  cluster: Pick<Cluster, 'listMetadata'>,
  { release, namespace }: ReleaseRef,
  { signal, watched, ...owner }: ReleaseQuery,
): Promise<ReleaseFact> {
  const known = watched?.records && classifyRelease(watched.records, owner);
  if (known !== undefined && isCurrent(known, watched?.managedRevision)) return known;
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector, signal });
  return classifyRelease(items, owner);
}

function isCurrent(release: ReleaseFact, managedRevision: number | undefined): boolean {
  if (release.kind === 'Absent') return managedRevision === undefined;
  return release.kind === 'Own' && release.status === 'deployed' && release.revision === managedRevision;
}

/** What is known of a release without asking helm. */
export type ReleaseFact = { readonly kind: 'Absent' } | ForeignRelease | OwnRelease;

export interface ForeignRelease {
  readonly kind: 'Foreign';
  /** The label value of the Operator or instance that owns it; empty when none does. */
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
  /** The resource version of the record of the newest revision; empty when unknown. */
  readonly recordVersion: string;
  /** All revisions that Helm keeps, newest first. */
  readonly records: readonly RevisionRecord[];
}

/** A release is ours when its records carry our label; of several revisions the newest counts. */
function classifyRelease(
  objects: readonly KubeObject[],
  { label, key = OURS.operatorLabel }: Pick<ReleaseQuery, 'label' | 'key'>,
): ReleaseFact {
  const live = objects.filter(({ metadata }) => metadata.labels?.['status'] !== 'uninstalled');
  const records = live.map(recordOf).sort((a, b) => b.revision - a.revision);
  const [newest] = records;
  if (newest === undefined) return { kind: 'Absent' };
  const { revision, status, configDigest } = newest;
  const owners = live.map(({ metadata }) => metadata.labels?.[key]).filter((owner) => owner !== undefined);
  if (!owners.includes(label)) return { kind: 'Foreign', owner: owners[0] ?? '', revision, status };
  const recordVersion = live.find(({ metadata }) => Number(metadata.labels?.['version']) === revision)?.metadata.resourceVersion ?? '';
  return { kind: 'Own', revision, status, configDigest, recordVersion, records };
}

function recordOf({ metadata: { labels = {}, creationTimestamp = '' } }: KubeObject): RevisionRecord {
  return {
    revision: Number(labels['version'] ?? 0),
    status: RELEASE_STATUSES.find((word) => word === labels['status']) ?? 'unknown',
    configDigest: labels[CONFIG_DIGEST_LABEL] ?? '',
    time: creationTimestamp,
  };
}
