import { newestVersion } from '../chart/chart-version.ts';
import { specOf } from '../kind/kind.ts';
import { type KubeObject, oldestFirst } from '../kubernetes/resource.ts';
import { APP_REVISION_KIND } from './app-revision-kind.ts';

/** The version of the chart of an AppRevision. */
export function revisionVersion(revision: KubeObject): string {
  return specOf(APP_REVISION_KIND, revision).chart.version;
}

/**
 * The newest AppRevision within a range of versions (`spec.channel` of an instance); undefined when there is none. Of two archives with one version, the one that was offered
 * last counts, unless the instance has the other one.
 *
 * @param own the AppRevision that the instance has; absent: none.
 */
export function newestInChannel(revisions: readonly KubeObject[], channel: string, own?: KubeObject): KubeObject | undefined {
  const newest = newestVersion(revisions.map(revisionVersion), { version: channel });
  if (newest === undefined) return undefined;
  if (own !== undefined && revisionVersion(own) === newest) return own;
  return revisions
    .filter((revision) => revisionVersion(revision) === newest)
    .sort(oldestFirst)
    .at(-1);
}
