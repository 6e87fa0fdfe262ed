import { Router } from 'express';
import { METRIC_RANGES, type MetricRange } from '../../domain/monitoring/metrics.ts';
import type { Metrics } from '../../operation/monitoring/show-metrics.ts';
import { environmentRow } from '../environment/environment-page.ts';
import { environmentTabs } from '../environment/environment-tabs.ts';
import { type LineChart, lineChart } from './line-chart.ts';
import { page, type WebDeps } from '../page/page.ts';
import { environmentMonitoringPath } from '../page/paths.ts';

/** A view of `parts/metrics`. */
export interface MetricsView {
  readonly configured: boolean;
  readonly from: string;
  readonly to: string;
  readonly ranges: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  readonly charts: readonly LineChart[];
  /** The field that an admin sets, for an empty page. */
  readonly field: string;
}

const LABELS: Readonly<Record<MetricRange, string>> = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};
const DEFAULT_RANGE: MetricRange = '6h';

/** The range that an address names; six hours when it names none. */
export function parseRange(query: URLSearchParams): MetricRange {
  return METRIC_RANGES.find((range) => range === query.get('range')) ?? DEFAULT_RANGE;
}

/** @param hrefOf the address of the page with another range. */
export function metricsView({ configured, range, from, to, charts }: Metrics, hrefOf: (range: MetricRange) => string): MetricsView {
  const [start, end] = [Date.parse(from) / 1000, Date.parse(to) / 1000];
  return {
    configured,
    from,
    to,
    ranges: METRIC_RANGES.map((one) => ({ label: LABELS[one], href: hrefOf(one), current: one === range })),
    charts: charts.map((chart, index) => lineChart(chart, { id: `chart-${index + 1}`, start, end })),
    field: 'spec.monitoring',
  };
}

/** What the Prometheus of an environment says. */
export function metricsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/monitoring',
    page(deps, async ({ actor, query, param }) => {
      const name = param('environment');
      const found = await deps.operations.showEnvironmentMetrics(actor, { environment: name, range: parseRange(query) });
      const environment = environmentRow(found.environment);
      const { href, displayName: label } = environment;
      const metrics = metricsView(found, (range) => environmentMonitoringPath(name, range));
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Monitoring' }];
      const model = { environment, tabs: environmentTabs(name, 'monitoring'), metrics };
      return { view: 'environments/monitoring', title: `Monitoring of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  return router;
}
