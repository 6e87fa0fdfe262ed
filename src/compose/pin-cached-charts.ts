import type { ChartLibrary } from '../chart/chart-library.ts';
import type { RenderChart } from '../domain/chart/rendered-chart.ts';
import type { ImageRewrite } from '../domain/workload/image-rewrite.ts';
import type { Helm, HelmProgram } from '../helm/helm.ts';
import { createChartRenderer } from '../helm/render-chart.ts';
import type { Kube } from '../kube/kube.ts';

/** Helm, for which a chart stays in the cache, and is looked at once more, while it works with it. A release is made of as little of it as will do. */
export function pinCachedCharts(helm: Helm, charts: Pick<ChartLibrary, 'using' | 'forRelease'>): Helm {
  return {
    ...helm,
    render: (input, signal) => charts.using(input.chartPath, () => helm.render(input, signal)),
    install: (input, signal) => charts.forRelease(input.chartPath, (chartPath) => helm.install({ ...input, chartPath }, signal), signal),
    upgrade: (input, signal) => charts.forRelease(input.chartPath, (chartPath) => helm.upgrade({ ...input, chartPath }, signal), signal),
  };
}

interface RendererInput {
  readonly kube: Kube;
  readonly charts: ChartLibrary;
  readonly imageRewrites: readonly ImageRewrite[];
}

/** Renders charts that are kept in the cache meanwhile. */
export function chartRenderer({ kube, charts, imageRewrites }: RendererInput, helm: HelmProgram): RenderChart {
  const { render } = pinCachedCharts(helm, charts);
  return createChartRenderer({ render, discovery: kube, kubernetesVersion: kube.kubernetesVersion, imageRewrites });
}
