import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { ChartLibrary } from '../chart/chart-library.ts';
import { readArchive } from '../chart/archive/archive.ts';
import { CHART_LIMITS } from '../chart/limits.ts';
import { childrenWithin } from '../helm/bounds.ts';
import { createHelm } from '../helm/helm.ts';
import { createChartRenderer } from '../helm/render-chart.ts';
import { releaseRecordBytes } from '../helm/release-record.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import type { UpgradePorts } from '../operation/upgrade/upgrade-ports.ts';
import type { Metrics } from '../observe/metrics.ts';

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
