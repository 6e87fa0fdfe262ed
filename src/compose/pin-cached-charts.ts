import type { ChartLibrary } from '../chart/chart-library.ts';
import type { Helm } from '../helm/helm.ts';

/** Helm, for which a chart stays in the cache, and is looked at once more, while it works with it. A release is made of as little of it as will do. */
export function pinCachedCharts(helm: Helm, charts: Pick<ChartLibrary, 'using' | 'forRelease'>): Helm {
  return {
    ...helm,
    render: (input, signal) => charts.using(input.chartPath, () => helm.render(input, signal)),
    install: (input, signal) => charts.forRelease(input.chartPath, (chartPath) => helm.install({ ...input, chartPath }, signal), signal),
    upgrade: (input, signal) => charts.forRelease(input.chartPath, (chartPath) => helm.upgrade({ ...input, chartPath }, signal), signal),
  };
}
