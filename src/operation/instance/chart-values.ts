import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartValues } from '../../schema/embed-chart-values.ts';
import { faultsOfOwnValues } from '../../schema/values/check-values.ts';
import type { Ports } from '../ports.ts';
import { rejectFaults } from './instance-draft.ts';

/** What the chart of an entry says about values; undefined for the kind of an Operator, and for a chart that is not cached. */
export async function chartValuesOf(
  { chartValues }: Pick<Ports, 'chartValues'>,
  { operator }: Pick<CatalogEntry, 'operator'>,
): Promise<{ readonly values: ChartValues; readonly digest: string } | undefined> {
  const said = operator.kind === APP_DEFINITION.kind ? textAt(operator.status, 'chart', 'digest') : undefined;
  if (said === undefined) return undefined;
  const digest = said.includes(':') ? said : `sha256:${said}`;
  const values = await chartValues?.(digest);
  return values === undefined ? undefined : { values, digest };
}

/**
 * Rejects values that the chart's own schema rejects, which says more than the CRD can: the release would fail with the same words. With values from elsewhere,
 * or in another version of the chart, which a channel may come to, only the release can tell.
 *
 * @throws AppError `InvalidInput` with a fault for each field.
 */
export async function rejectChartValues(
  ports: Pick<Ports, 'chartValues'>,
  entry: Pick<CatalogEntry, 'operator'>,
  { spec }: Pick<KubeObject, 'spec'>,
): Promise<void> {
  const version = textAt(spec, 'version');
  const isFollowing = version === undefined && textAt(spec, 'channel') !== undefined;
  const isOther = isFollowing || (version !== undefined && version !== textAt(entry.operator.status, 'chart', 'version'));
  if (isOther || listAt(spec, 'valuesFrom').length > 0) return;
  const chart = await chartValuesOf(ports, entry);
  if (chart === undefined) return;
  const values = objectAt(spec, 'values') as JsonObject;
  const faults = await faultsOfOwnValues(chart.values, isObject(values) ? values : {}, chart.digest);
  rejectFaults(faults.map(({ field = '', ...fault }) => ({ ...fault, field: `spec.values${/^(\[|$)/.test(field) ? '' : '.'}${field}` })));
}
