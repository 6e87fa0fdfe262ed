import { Router } from 'express';
import { METRIC_RANGES, type MetricChart, type MetricRange } from '../../domain/monitoring/metrics.ts';
import type { MetricUnit } from '../../domain/monitoring/monitoring-field.ts';
import type { Metrics } from '../../operation/monitoring/show-metrics.ts';
import { environmentRow } from '../environment/environment-page.ts';
import { environmentTabs } from '../environment/environment-parts.ts';
import type { Badge } from '../page/badges.ts';
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

/** A view of `parts/line-chart`: lines in a box of WIDTH × HEIGHT, which the style sheet stretches, and the same in words. */
interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The worst threshold that a last value is above. */
  readonly alert?: Badge;
  readonly fault: string;
  /** Nothing to draw and no fault. */
  readonly isEmpty: boolean;
  readonly width: number;
  readonly height: number;
  /** From the top down, at equal distances. */
  readonly yLabels: readonly string[];
  /** From left to right, at equal distances. */
  readonly xLabels: readonly string[];
  readonly gridLines: readonly number[];
  readonly thresholds: readonly { readonly y: number; readonly tone: 'warn' | 'bad'; readonly text: string }[];
  readonly series: readonly ChartSeries[];
  /** Series that are not drawn. */
  readonly omitted: number;
  /** For people who do not see the lines. */
  readonly summary: string;
}

interface ChartSeries {
  /** 1 to 8: its colour and dashes. */
  readonly number: number;
  readonly name: string;
  /** Of an SVG path. */
  readonly path: string;
  readonly last: string;
  readonly lowest: string;
  readonly highest: string;
}

const WIDTH = 600;
const HEIGHT = 160;
const ROWS = 4;
const COLUMNS = 4;
/** A gap of so many steps is no line. */
const GAP_STEPS = 2.5;

export interface ChartFrame {
  readonly id: string;
  /** Unix seconds. */
  readonly start: number;
  readonly end: number;
}

/** Draws a chart. Times are in UTC. */
function lineChart(chart: MetricChart, { id, start, end }: ChartFrame): LineChart {
  const { title, description, unit, fault = '', omitted } = chart;
  const values = chart.series.flatMap(({ points }) => points.map(([, value]) => value));
  const scale = scaleOf([...values, ...(values.length === 0 ? [] : chart.thresholds.map(({ value }) => value))], unit);
  const x = (seconds: number): number => round(((seconds - start) / (end - start)) * WIDTH);
  const y = (value: number): number => round(HEIGHT - ((value - scale.low) / (scale.high - scale.low)) * HEIGHT);
  const steps = Array.from({ length: ROWS + 1 }, (_, index) => index / ROWS);
  const alert = alertOf(chart);
  return {
    id,
    title,
    description,
    ...(alert === undefined ? {} : { alert }),
    fault,
    isEmpty: fault === '' && values.length === 0,
    width: WIDTH,
    height: HEIGHT,
    yLabels: steps.toReversed().map((share) => inUnit(scale.low + share * (scale.high - scale.low), unit)),
    xLabels: timeLabels(start, end),
    gridLines: steps.map((share) => round(share * HEIGHT)),
    thresholds: chart.thresholds.map(({ value, severity }) => ({
      y: y(value),
      tone: severity === 'Critical' ? 'bad' : 'warn',
      text: `${severity} above ${inUnit(value, unit)}`,
    })),
    series: chart.series.map(({ name, points }, index) => ({
      number: index + 1,
      name,
      path: pathOf(points, { x, y }),
      last: inUnit(points.at(-1)?.[1], unit),
      lowest: inUnit(points.length === 0 ? undefined : least(points), unit),
      highest: inUnit(points.length === 0 ? undefined : greatest(points), unit),
    })),
    omitted,
    summary: `${title}: ${chart.series.length} series; the table below has the last, lowest and highest value of each.`,
  };
}

interface Scale {
  readonly low: number;
  readonly high: number;
}

/** From zero, or a round number below, to a round number above, so that the labels of ROWS equal parts are round. */
function scaleOf(values: readonly number[], unit: MetricUnit): Scale {
  const lowest = values.reduce((low, value) => Math.min(low, value), 0);
  const highest = values.reduce((high, value) => Math.max(high, value), 0);
  const span = highest - lowest || 1;
  const rough = span / ROWS;
  const part = unit.startsWith('Bytes') ? 2 ** Math.ceil(Math.log2(rough)) : roundedUp(rough);
  const low = Math.floor(lowest / part) * part;
  return low + ROWS * part >= highest ? { low, high: low + ROWS * part } : { low, high: low + 2 * ROWS * part };
}

function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= value) ?? value;
}

function alertOf({ series, thresholds, unit }: MetricChart): Badge | undefined {
  const last = series.flatMap(({ points }) => points.at(-1)?.[1] ?? []);
  const passed = thresholds.filter(({ value }) => last.some((one) => one > value));
  const worst = passed.findLast(({ severity }) => severity === 'Critical') ?? passed.at(-1);
  if (worst === undefined) return undefined;
  const label = `${worst.severity}: above ${inUnit(worst.value, unit)}`;
  return worst.severity === 'Critical' ? { label, tone: 'bad', symbol: 'bad' } : { label, tone: 'warn', symbol: 'warn' };
}

type Points = MetricChart['series'][number]['points'];

/** A line for each stretch without a gap. */
function pathOf(points: Points, { x, y }: { readonly x: (seconds: number) => number; readonly y: (value: number) => number }): string {
  const distances = points.slice(1).map(([seconds], index) => seconds - (points[index]?.[0] ?? seconds));
  const step = distances.reduce((least, distance) => Math.min(least, distance), Number.POSITIVE_INFINITY);
  return points
    .map(([seconds, value], index) => {
      const isGap = index === 0 || (distances[index - 1] ?? 0) > GAP_STEPS * step;
      return `${isGap ? 'M' : 'L'}${x(seconds)} ${y(value)}`;
    })
    .join('');
}

function least(points: Points): number {
  return points.reduce((low, [, value]) => Math.min(low, value), Number.POSITIVE_INFINITY);
}

function greatest(points: Points): number {
  return points.reduce((high, [, value]) => Math.max(high, value), Number.NEGATIVE_INFINITY);
}

/** The hour for a day and less, else the date. */
function timeLabels(start: number, end: number): string[] {
  const hours = end - start <= 86_400;
  return Array.from({ length: COLUMNS + 1 }, (_, index) => {
    const time = new Date((start + ((end - start) * index) / COLUMNS) * 1000).toISOString();
    return hours ? time.slice(11, 16) : `${time.slice(8, 10)}.${time.slice(5, 7)}.`;
  });
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
const DECIMAL = ['', 'k', 'M', 'G', 'T'];

/** A value in its unit: `1.5 GiB`, `12 %`, `3.2 k/s`. */
function inUnit(value: number | undefined, unit: MetricUnit): string {
  if (value === undefined) return '–';
  switch (unit) {
    case 'Bytes':
      return `${scaled(value, 1024, BINARY)}B`;
    case 'BytesPerSecond':
      return `${scaled(value, 1024, BINARY)}B/s`;
    case 'PerSecond':
      return `${scaled(value, 1000, DECIMAL)}/s`.replace(' /s', '/s');
    case 'Percent':
      return `${short(value)} %`;
    case 'Ratio':
      return `${short(value * 100)} %`;
    case 'Seconds':
      return seconds(value);
    case 'Cores':
      return Math.abs(value) < 1 ? `${short(value * 1000)}m` : short(value);
    case 'Count':
      return scaled(value, 1000, DECIMAL).trim();
    default:
      return unit satisfies never;
  }
}

function scaled(value: number, base: number, prefixes: readonly string[]): string {
  const power = value === 0 ? 0 : Math.min(prefixes.length - 1, Math.max(0, Math.floor(Math.log(Math.abs(value)) / Math.log(base))));
  return `${short(value / base ** power)} ${prefixes[power] ?? ''}`;
}

function seconds(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= 120) return size >= 7200 ? `${short(value / 3600)} h` : size >= 120 ? `${short(value / 60)} min` : '0 s';
  if (size >= 1) return `${short(value)} s`;
  return size >= 0.001 ? `${short(value * 1000)} ms` : `${short(value * 1_000_000)} µs`;
}

/** Three figures. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
