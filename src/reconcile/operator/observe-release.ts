import { OURS } from '../../domain/names.ts';
import { RELEASE_STATUSES, type ReleaseStatus } from '../../domain/release.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { SECRET, STEP_LABEL } from './kinds.ts';
import type { OperatorPorts, ReleaseRef } from './ports.ts';

/** What is known of a release without asking helm. */
export type ReleaseFact = { readonly kind: 'Absent' } | { readonly kind: 'Foreign'; readonly owner: string } | OwnRelease;

export interface OwnRelease {
  readonly kind: 'Own';
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** The step digest of the newest revision; empty when it has none. */
  readonly step: string;
}

/** Looks at the labels of Helm's release records; their content, which holds values and manifests, stays in the cluster. */
export async function observeRelease(
  cluster: OperatorPorts['cluster'],
  { release, namespace }: ReleaseRef,
  { label, signal }: { readonly label: string; readonly signal: AbortSignal },
): Promise<ReleaseFact> {
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector, signal });
  return judgeRelease(items, label);
}

/** A release is ours when its records carry our label; of several revisions the newest counts. */
export function judgeRelease(records: readonly KubeObject[], label: string): ReleaseFact {
  const revisions = records
    .map(({ metadata: { labels = {} } }) => ({ labels, revision: Number(labels['version'] ?? 0) }))
    .filter(({ labels }) => labels['status'] !== 'uninstalled')
    .sort((a, b) => b.revision - a.revision);
  const [newest] = revisions;
  if (newest === undefined) return { kind: 'Absent' };
  const owners = revisions.map(({ labels }) => labels[OURS.operatorLabel]).filter((owner) => owner !== undefined);
  if (!owners.includes(label)) return { kind: 'Foreign', owner: owners[0] ?? '' };
  const status = RELEASE_STATUSES.find((word) => word === newest.labels['status']) ?? 'unknown';
  return { kind: 'Own', revision: newest.revision, status, step: newest.labels[STEP_LABEL] ?? '' };
}
