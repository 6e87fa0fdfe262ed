import pMap from 'p-map';
import { messageOf, isAppError } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import {
  expandQuery,
  failedChart,
  type Labels,
  metricChart,
  type MetricChart,
  type MetricRange,
  type QueryRange,
  timeRangeOf,
  type TimeRange,
} from '../../domain/monitoring/metrics.ts';
import type { Monitoring } from '../../domain/monitoring/monitoring-field.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { findOperator, type OperatorAddress } from '../operator/find-operator.ts';
import type { MetricPorts, Ports } from '../ports.ts';

/** The charts of a range; none when no Prometheus is named. */
export interface Metrics {
  readonly configured: boolean;
  readonly range: MetricRange;
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly charts: readonly MetricChart[];
}

type MetricsNeeds = Pick<Ports, 'clusters' | 'metrics'>;

/** Queries of one page that run at once. */
const AT_ONCE = 4;

/**
 * The charts of an Environment, for whoever may see it. A query that fails is a chart with a fault.
 *
 * @throws AppError `NotFound`.
 */
export async function showEnvironmentMetrics(
  { clusters, metrics }: MetricsNeeds,
  actor: Actor,
  { environment: name, range }: { readonly environment: string; readonly range: MetricRange },
): Promise<Metrics & { readonly environment: EnvironmentView }> {
  const environment = await findEnvironment(clusters, actor, name);
  const { monitoring } = specOf(ENVIRONMENT_KIND, await clusters.asActor(actor).get({ ...ENVIRONMENT, name }));
  const variables = { namespace: environment.namespace, environment: name };
  const read = { monitoring, secretNamespace: OURS.systemNamespace, variables, range };
  return { environment, ...(await readMetrics(metrics, read)) };
}

/** The charts of an Operator; throws as `findOperator`. */
export async function showOperatorMetrics(
  ports: MetricsNeeds,
  actor: Actor,
  { range, ...address }: OperatorAddress & { readonly range: MetricRange },
): Promise<Metrics> {
  const { monitoring, targetNamespace, releaseName } = parseOperatorSpec(await findOperator(ports, actor, address));
  const variables = { namespace: targetNamespace, release: releaseName };
  return await readMetrics(ports.metrics, { monitoring, secretNamespace: address.namespace, variables, range });
}

interface MetricsInput {
  readonly monitoring: Monitoring | undefined;
  readonly secretNamespace: string;
  readonly variables: Labels;
  readonly range: MetricRange;
}

async function readMetrics({ connect, now }: MetricPorts, input: MetricsInput): Promise<Metrics> {
  const { monitoring, secretNamespace, variables, range } = input;
  const time = timeRangeOf(range, now());
  const frame = { range, from: new Date(time.start * 1000).toISOString(), to: new Date(time.end * 1000).toISOString() };
  if (monitoring === undefined) return { configured: false, ...frame, charts: [] };
  const { prometheus, queries } = monitoring;
  const connection = connect({ prometheus, secretNamespace });
  const charts = await pMap(queries, async (query) => await chartOf(query, { connection, variables, time }), { concurrency: AT_ONCE });
  return { configured: true, ...frame, charts };
}

interface ChartInput {
  readonly connection: Promise<QueryRange>;
  readonly variables: Labels;
  readonly time: TimeRange;
}

async function chartOf(query: Monitoring['queries'][number], { connection, variables, time }: ChartInput): Promise<MetricChart> {
  try {
    const queryRange = await connection;
    return metricChart(query, await queryRange(expandQuery(query.query, variables, time), time));
  } catch (error) {
    if (!isAppError(error)) throw error;
    return failedChart(query, messageOf(error));
  }
}
