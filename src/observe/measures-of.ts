import { legacyStatusOf } from '../domain/catalog/operator-view.ts';
import { listAt } from '../domain/core/read.ts';
import type { CatalogCache } from '../domain/kubernetes/cluster.ts';
import { LEGACY_STATUSES } from '../domain/operator/operator-status.ts';
import type { Measured } from './metrics.ts';

/** How many Operators have each status, and how many faults the files of each CatalogSource have, as far as we know the cluster. */
export function measuresOf(catalog: Pick<CatalogCache, 'operators' | 'catalogSources'>): readonly Measured[] {
  const statuses = catalog.operators().map(legacyStatusOf);
  return [
    ...LEGACY_STATUSES.map((status): Measured => {
      const value = statuses.filter((one) => one === status).length;
      return { gauge: 'chandlery_operators', labels: { status }, value };
    }),
    ...catalog.catalogSources().map(({ metadata, status }): Measured => {
      return { gauge: 'chandlery_catalog_faults', labels: { source: metadata.name }, value: listAt(status, 'faults').length };
    }),
  ];
}
