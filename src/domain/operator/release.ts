import type { JsonObject } from '../kubernetes/resource.ts';

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

/** A hook of a revision, as Helm's record has it. */
export interface ReleaseHook {
  readonly kind: string;
  readonly name: string;
  /** E.g. `pre-delete`. */
  readonly events: readonly string[];
  /** E.g. `hook-succeeded`. */
  readonly deletePolicies: readonly string[];
}

/** What Helm's record of a revision holds. */
export interface RevisionContent {
  readonly chart: string;
  readonly version: string;
  /** The values that the release was made with, those of the chart aside: secrets included. */
  readonly values: JsonObject;
  readonly hooks: readonly ReleaseHook[];
}

/** How the tests of a release ended. */
export type TestReport =
  | { readonly kind: 'Passed'; readonly tests: readonly string[] }
  /** `failed` names each hook that failed, e.g. `Job smoke`. */
  | { readonly kind: 'Failed'; readonly failed: readonly string[]; readonly message: string };

/** What gets a release out of a state that a dead worker left it in. */
export type UnlockAction =
  { readonly kind: 'none' } | { readonly kind: 'uninstall' } | { readonly kind: 'rollback'; readonly revision: number };

/**
 * Decides how a release whose worker is gone becomes usable again. Helm does not change a release that is pending, and has no command to
 * clear that mark; so
 * - a first install that never finished is uninstalled (it holds nothing that anybody was promised),
 * - an upgrade or rollback that never finished goes back to the last revision that was deployed, which leaves its objects alone where they are equal,
 * - a rollback that never finished goes where it was bound for, when that is known and there,
 * - an uninstall that never finished is asked for again,
 * - anything else is left as it is.
 *
 * Call it only while holding the release's lease: a pending release of a living worker looks the same.
 *
 * @param history revisions in any order; empty when there is no release.
 * @param toRevision where a rollback was bound for.
 */
export function unlockAction(history: readonly ReleaseInfo[], toRevision?: number): UnlockAction {
  const revisions = [...history].sort((a, b) => b.revision - a.revision);
  const latest = revisions[0];
  switch (latest?.status) {
    case 'pending-install':
    case 'pending-upgrade':
    case 'pending-rollback': {
      const usable = revisions.filter((info) => info.status === 'deployed' || info.status === 'superseded');
      const wanted = latest.status === 'pending-rollback' ? usable.find(({ revision }) => revision === toRevision) : undefined;
      const good = wanted ?? usable[0];
      return good === undefined ? { kind: 'uninstall' } : { kind: 'rollback', revision: good.revision };
    }
    case 'uninstalling':
      return { kind: 'uninstall' };
    case undefined:
    case 'deployed':
    case 'failed':
    case 'superseded':
    case 'uninstalled':
    case 'unknown':
      break;
  }
  return { kind: 'none' };
}

/** Whether a worker is, or was, in the middle of changing the release. */
export function isPending(info: Pick<ReleaseInfo, 'status'>): boolean {
  return info.status.startsWith('pending-') || info.status === 'uninstalling';
}
