import { OURS } from '../../../domain/kubernetes/names.ts';
import { RELEASE_STATUSES, type ReleaseStatus } from '../../../domain/operator/release.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { RevisionRecord } from '../../../domain/operator/revision-history.ts';
import { CONFIG_DIGEST_LABEL } from '../kinds.ts';

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
  /** The step digest of the newest revision; empty when it has none. */
  readonly configDigest: string;
  /** All revisions that Helm keeps, newest first. */
  readonly records: readonly RevisionRecord[];
}

/** A release is ours when its records carry our label; of several revisions the newest counts. */
export function classifyRelease(objects: readonly KubeObject[], label: string): ReleaseFact {
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
