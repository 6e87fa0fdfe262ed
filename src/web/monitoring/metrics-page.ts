import { METRIC_RANGES, type MetricRange } from '../../domain/monitoring/metrics.ts';
import type { Metrics } from '../../operation/monitoring/show-metrics.ts';
import { type LineChart, lineChart } from './line-chart.ts';

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
