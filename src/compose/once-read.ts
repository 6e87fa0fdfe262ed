import type { CatalogCache } from '../domain/kubernetes/cluster.ts';
import { AppError } from '../domain/core/errors.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';

/**
 * The catalogue for people. Before it was read once, everything would seem to be missing, so whoever asks is told to come back.
 *
 * @returns a catalogue whose members throw AppError `ClusterUnavailable` until then
 */
export function onceRead(live: Pick<LiveCatalog, 'synced' | keyof CatalogCache>): CatalogCache {
  const whenRead =
    <T>(read: () => T): (() => T) =>
    () => {
      if (live.synced()) return read();
      throw new AppError('ClusterUnavailable', 'catalogue: it is being read from the cluster; try again in a few seconds');
    };
  return {
    operators: whenRead(live.operators),
    customResourceDefinitions: whenRead(live.customResourceDefinitions),
    environments: whenRead(live.environments),
    catalogSources: whenRead(live.catalogSources),
  };
}
