import { APP_REVISION_KIND } from '../../domain/app-definition/app-revision-kind.ts';
import type { ChartAccess } from '../../domain/chart/chart-access.ts';

import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { AppError } from '../../domain/core/errors.ts';
import { at } from '../../domain/core/read.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { addressOf, type ChartSource, parseChartSource } from '../../domain/operator/operator-spec.ts';

interface RevisionPorts<C> {
  readonly cluster: Pick<Cluster, 'get'>;
  readonly charts: { fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess): Promise<C> };
}

/**
 * Fetches the chart of an AppRevision.
 *
 * @throws AppError `DigestMismatch` for an archive that is another one by now; as fetching charts does.
 */
export async function fetchRevisionChart<C extends { readonly digest: string }>(
  { cluster, charts }: RevisionPorts<C>,
  revision: KubeObject,
  signal: AbortSignal,
): Promise<C> {
  const { source, digest } = specOf(APP_REVISION_KIND, revision);
  const owner = { ...revision, spec: at(revision.spec, 'source') };
  const from = source.chartURL === undefined ? parseChartSource(source.chart, owner) : ({ kind: 'url', url: source.chartURL } as const);
  const find = (name: string) => ifFound(cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
  const { access } = await readChartAccess({ source: from, namespace: OURS.systemNamespace, find });
  const pinned = from.kind === 'repository' ? { ...from, digest } : from;
  const chart = await charts.fetch(pinned, signal, access);
  if (chart.digest === digest) return chart;
  throw new AppError(
    'DigestMismatch',
    `chart at ${addressOf(from)}: its digest is ${chart.digest}, and that of the AppRevision is ${digest}`,
  );
}
