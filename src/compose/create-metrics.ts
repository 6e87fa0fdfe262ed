import { parseChartSecret } from '../domain/chart/chart-secret.ts';
import type { Config } from '../config.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import type { Clusters } from '../domain/kubernetes/cluster.ts';
import { SECRET } from '../domain/kubernetes/resource-types.ts';
import type { MetricSource } from '../domain/monitoring/metrics.ts';
import type { MetricPorts } from '../operation/ports.ts';
import { createPrometheus, type PrometheusAddress } from '../prometheus/prometheus.ts';
import { readAuthorities } from './create-charts.ts';

/** What showing metrics takes. The Secret of a Prometheus is read as the controller: an admin named it, and nothing of it is ever shown. */
export async function createMetricPorts(
  clusters: Pick<Clusters, 'asController'>,
  config: Pick<Config, 'allowEgress' | 'chartCaFiles'>,
): Promise<MetricPorts> {
  const prometheusAt = createPrometheus({
    allowEgress: config.allowEgress,
    certificateAuthorities: await readAuthorities(config.chartCaFiles),
  });
  return {
    connect: async (source) => prometheusAt({ prometheus: source.prometheus, ...(await credentialsOf(clusters, source)) }),
    now: Date.now,
  };
}

async function credentialsOf(
  clusters: Pick<Clusters, 'asController'>,
  { prometheus, secretNamespace }: MetricSource,
): Promise<Pick<PrometheusAddress, 'credentials'>> {
  const { secretRef, url = '' } = prometheus;
  if (secretRef === undefined) return {};
  try {
    const object = await clusters.asController().get({ ...SECRET, namespace: secretNamespace, name: secretRef.name });
    return { credentials: parseChartSecret(object, url) };
  } catch (error) {
    if (isAppError(error, 'NotFound'))
      throw new AppError(
        'MonitoringUnavailable',
        `prometheus: Secret "${secretNamespace}/${secretRef.name}": it does not exist; create it`,
      );
    if (isAppError(error, 'ChartSecretInvalid'))
      throw new AppError('MonitoringUnavailable', messageOf(error).replace(/^chart:/, 'prometheus:'));
    throw error;
  }
}
