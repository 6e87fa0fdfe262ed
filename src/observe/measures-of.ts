import { LEGACY_STATUSES } from '../domain/operator/kind/status-fields.ts';
import { legacyStatusOf } from '../domain/catalog/operator-view.ts';
import { statusOf } from '../domain/kind/kind.ts';
import type { CatalogCache } from '../domain/kubernetes/cluster.ts';
import { CATALOG_SOURCE_KIND } from '../domain/source/catalog-source.ts';
import type { Measured } from './metrics.ts';

/** How many Operators have each status, and how many faults the files of each CatalogSource have, as far as we know the cluster. */
export function measuresOf(catalog: Pick<CatalogCache, 'operators' | 'catalogSources'>): readonly Measured[] {
  const statuses = catalog.operators().map((operator) => legacyStatusOf(operator));
  return [
    ...LEGACY_STATUSES.map((status): Measured => {
      const value = statuses.filter((one) => one === status).length;
      return { gauge: 'chandlery_operators', labels: { status }, value };
    }),
    ...catalog.catalogSources().map((source): Measured => {
      const { faults } = statusOf(CATALOG_SOURCE_KIND, source);
      return { gauge: 'chandlery_catalog_faults', labels: { source: source.metadata.name }, value: faults.length };
    }),
  ];
}
