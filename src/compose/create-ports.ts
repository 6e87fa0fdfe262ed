import { totalmem } from 'node:os';
import { join } from 'node:path';
import { readArchive } from '../chart/archive/archive.ts';
import type { ChartLibrary } from '../chart/chart-library.ts';
import { CHART_LIMITS } from '../chart/limits.ts';
import { readAuthorities } from './create-charts.ts';
import type { Config } from '../config.ts';
import { parseChartSecret } from '../domain/chart/chart-secret.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import type { Clusters } from '../domain/kubernetes/cluster.ts';
import { NAMESPACE, SECRET } from '../domain/kubernetes/resource-types.ts';
import type { MetricSource } from '../domain/monitoring/metrics.ts';
import { childrenWithin } from '../helm/bounds.ts';
import { createHelm } from '../helm/helm.ts';
import { releaseRecordBytes } from '../helm/release-record.ts';
import { createChartRenderer } from '../helm/render-chart.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { MetricPorts, Ports } from '../operation/ports.ts';
import type { UpgradePorts } from '../operation/upgrade/upgrade-ports.ts';
import { createPrometheus, type PrometheusAddress } from '../prometheus/prometheus.ts';
import type { Store } from '../store/store.ts';
import { createAuditPort } from './create-audit-port.ts';

type Kept = 'changeRequests' | 'savedConfigurations' | 'auditLog';

/** What operations need of the store. */
export function storePorts(kube: Pick<Kube, 'asController'>, store: Pick<Store, Kept>, log: Log): Pick<Ports, Kept> {
  const { changeRequests, savedConfigurations, auditLog } = store;
  return {
    changeRequests: { table: changeRequests, cluster: clusterUid(kube), now: Date.now },
    savedConfigurations: { table: savedConfigurations, now: Date.now },
    auditLog: createAuditPort(auditLog, log),
  };
}

/** The uid of the cluster: that of its namespace `kube-system`, as is custom. Asked for once. */
function clusterUid(kube: Pick<Kube, 'asController'>): () => Promise<string> {
  let known: Promise<string> | undefined;
  return async () => {
    known ??= read(kube);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function read(kube: Pick<Kube, 'asController'>): Promise<string> {
  const namespace = { ...NAMESPACE, name: 'kube-system' };
  const { metadata } = await kube.asController().get(namespace);
  return metadata.uid ?? '';
}

export interface PreviewUpgradesInput {
  readonly kube: Pick<Kube, 'kubernetesVersion' | 'kinds'>;
  readonly charts: ChartLibrary;
  /** The helm program. */
  readonly helm: string;
  readonly stateDir: string;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'helmRan'>;
}

/** Plans render beside the controllers, but never more than two at once. */
const MAX_RENDERS = 2;
/** Upgrade previews and preflights of Operators for people. */
const CHECKS = { what: 'check', all: 4, perPerson: 2, waiting: 6 };

/** What planning upgrades takes: a helm without a cluster, and the charts. */
export async function createUpgradePreviews({ kube, charts, helm, stateDir, log, metrics }: PreviewUpgradesInput): Promise<UpgradePorts> {
  const renderer = await createHelm({
    program: helm,
    homeDir: join(stateDir, 'helm-changeRequests'),
    maxChildren: helmChildren(MAX_RENDERS, 1 / 2),
    log: { debug: (keys: object, message: string) => log.debug(message, { ...keys }) },
    observe: metrics.helmRan,
  });
  return {
    charts,
    renderChart: createChartRenderer({
      render: (request, signal) => charts.using(request.chartPath, () => renderer.render(request, signal)),
      discovery: kube,
      kubernetesVersion: kube.kubernetesVersion,
    }),
    recordBytes: async ({ chart: { path, contents }, values: config, objects }, signal) =>
      await charts.using(path, async () => {
        const { contents: files } = await readArchive(path, { limits: CHART_LIMITS, wants: () => true, signal });
        return await releaseRecordBytes({ metadata: contents.metadata, values: contents.values, config, files, objects });
      }),
    now: () => new Date(),
    queue: new FairQueue(CHECKS),
  };
}

/**
 * How many helm programs one of our uses of Helm may run at once.
 *
 * @param share of the memory of the machine, or of the container where that has a limit.
 */
export function helmChildren(wished: number, share: number): number {
  const limit = process.constrainedMemory();
  return childrenWithin(wished, share * Math.min(totalmem(), limit > 0 ? limit : Infinity));
}

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
