import type { ChartLibrary } from '../chart/chart-library.ts';
import type { Helm } from '../helm/helm.ts';

/** Helm, for which a chart stays in the cache, and is looked at once more, while it works with it. */
export function holdCharts(helm: Helm, charts: Pick<ChartLibrary, 'using'>): Helm {
  return {
    ...helm,
    render: (input, signal) => charts.using(input.chartPath, () => helm.render(input, signal)),
    install: (input, signal) => charts.using(input.chartPath, () => helm.install(input, signal)),
    upgrade: (input, signal) => charts.using(input.chartPath, () => helm.upgrade(input, signal)),
  };
}
