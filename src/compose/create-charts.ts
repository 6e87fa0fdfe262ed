import { join } from 'node:path';
import { createChartLibrary, type ChartLibrary } from '../chart/chart-library.ts';
import type { Config } from '../config.ts';
import type { ChartWords } from '../operation/ports.ts';
import type { Log } from '../observe/log.ts';

export interface ChartsInput {
  readonly config: Pick<Config, 'chartRoots' | 'mirrors' | 'allowEgress'>;
  readonly repoRoot: string;
  readonly stateDir: string;
  readonly log: Log;
}

/** The charts, cached in the state folder; our own sample charts are the root `charts`. */
export async function createCharts({ config, repoRoot, stateDir, log }: ChartsInput): Promise<ChartLibrary> {
  return await createChartLibrary({
    cacheDir: join(stateDir, 'cache', 'charts'),
    roots: { charts: join(repoRoot, 'charts'), ...config.chartRoots },
    mirrors: config.mirrors,
    allowEgress: config.allowEgress,
    log: { info: (keys, message) => log.debug(message, { ...keys }) },
  });
}

/** What a chart of the cache says about itself. */
export async function chartWordsOf(charts: Pick<ChartLibrary, 'contents'>, digest: string): Promise<ChartWords | undefined> {
  const contents = await charts.contents(digest);
  if (contents === undefined) return undefined;
  const { icon, description } = contents.metadata;
  return { readme: contents.readme, ...(icon === undefined ? {} : { icon }), ...(description === undefined ? {} : { description }) };
}
