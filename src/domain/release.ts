/** The words of Helm for the state of a revision. */
export const RELEASE_STATUSES = [
  'deployed',
  'failed',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
  'superseded',
  'uninstalled',
  'uninstalling',
  'unknown',
] as const;
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

/** One revision of a Helm release. */
export interface ReleaseInfo {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** Name and version of the chart: `nginx-1.2.3`. */
  readonly chart: string;
  readonly appVersion: string;
  /** RFC 3339. */
  readonly updated: string;
  readonly description: string;
  /** The labels of the release record; absent where Helm does not tell them (its history). */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What gets a release out of a state that a dead worker left it in. */
export type UnlockStep = { readonly act: 'none' } | { readonly act: 'uninstall' } | { readonly act: 'rollback'; readonly revision: number };

/**
 * Decides how a release whose worker is gone becomes usable again. Helm refuses to touch a release that is pending, and has no command to
 * clear that mark; so
 * - a first install that never finished is uninstalled (it holds nothing that anybody was told of),
 * - an upgrade or rollback that never finished goes back to the last revision that was deployed, which leaves its objects alone where they are equal,
 * - an uninstall that never finished is asked for again,
 * - anything else is left as it is.
 *
 * Call it only while holding the release's lease: a pending release of a living worker looks the same.
 *
 * @param history revisions in any order; empty when there is no release.
 */
export function planUnlock(history: readonly ReleaseInfo[]): UnlockStep {
  const revisions = [...history].sort((a, b) => b.revision - a.revision);
  const latest = revisions[0];
  switch (latest?.status) {
    case 'pending-install':
    case 'pending-upgrade':
    case 'pending-rollback': {
      const good = revisions.find((info) => info.status === 'deployed' || info.status === 'superseded');
      return good === undefined ? { act: 'uninstall' } : { act: 'rollback', revision: good.revision };
    }
    case 'uninstalling':
      return { act: 'uninstall' };
    case undefined:
    case 'deployed':
    case 'failed':
    case 'superseded':
    case 'uninstalled':
    case 'unknown':
      break;
  }
  return { act: 'none' };
}

/** Whether a worker is, or was, in the middle of changing the release. */
export function isPending(info: Pick<ReleaseInfo, 'status'>): boolean {
  return info.status.startsWith('pending-') || info.status === 'uninstalling';
}
