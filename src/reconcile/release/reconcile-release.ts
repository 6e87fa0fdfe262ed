import type { Reconcile } from '../../controller/controller.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { mergeConditions } from '../../domain/kubernetes/condition.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { CATALOG_RELEASE } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import { CATALOG_RELEASE_KIND, type ReleaseStatus } from '../../domain/release/catalog-release.ts';
import { liveRelease, releaseConditions, releaseStatus } from '../../domain/release/release-status.ts';
import { applyStatus } from '../apply-status.ts';

export interface ReleasePorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'applyStatus'>;
  /** All CatalogReleases. */
  readonly releases: () => readonly KubeObject[];
  /** All Operators and Environments. */
  readonly resources: () => readonly KubeObject[];
  readonly now: () => Date;
}

/** Makes the reconciler of CatalogReleases: it writes what runs a release and what is next into the status, and changes nothing else. Its key is the name of one. */
export function createReleaseReconciler({ cluster, releases, resources, now }: ReleasePorts): Reconcile {
  return async (key, signal) => {
    const all = releases();
    const object = all.find(({ metadata }) => metadata.name === key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    const release = liveRelease(object);
    const found = releaseStatus(release, { releases: all.map(liveRelease), resources: resources() });
    const observedGeneration = object.metadata.generation ?? 0;
    const conditions = releaseConditions(release, found).map((condition) => ({ ...condition, observedGeneration }));
    const before = statusOf(CATALOG_RELEASE_KIND, object);
    const status: ReleaseStatus = {
      observedGeneration,
      ...found,
      conditions: mergeConditions(before.conditions, conditions, timestamp(now())),
    };
    await applyStatus(cluster, CATALOG_RELEASE, { object, status, signal });
    return {};
  };
}

/** The releases that a change of an Operator or Environment concerns: the one that it is of now, and those whose status still names it. */
export function releasesNaming(resource: string, label: string | undefined, releases: readonly KubeObject[]): string[] {
  const named = releases.filter((release) =>
    statusOf(CATALOG_RELEASE_KIND, release).targets.some(({ resources }) => resources.includes(resource)),
  );
  return [...new Set([...named.map(({ metadata }) => metadata.name), ...(label === undefined ? [] : [label])])];
}
