import { AppError } from '../core/errors.ts';
import type { MetricQuery, Monitoring } from './monitoring-field.ts';

/** Labels by name. */
export type Labels = Readonly<Record<string, string>>;

/** One series of the answer to a range query. */
export interface MetricSeries {
  readonly labels: Labels;
  /** Seconds since 1970 and the value, in order; what is no finite number is left out. */
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

/** The answer to a query, as pages and REST show it. */
export interface MetricChart extends Pick<MetricQuery, 'title' | 'unit' | 'description' | 'thresholds'> {
  readonly series: readonly { readonly name: string; readonly points: MetricSeries['points'] }[];
  /** Series that are left out, because a chart shows `MAX_SERIES`. */
  readonly omitted: number;
  /** Why there is no answer. */
  readonly fault?: string;
}

/** What a range query asks for: Unix seconds, and the distance of two points. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** Which Prometheus, and the namespace of the Secret with its credentials. */
export interface MetricSource {
  readonly prometheus: Monitoring['prometheus'];
  readonly secretNamespace: string;
}

/** Asks one Prometheus; throws AppError `MonitoringUnavailable`. */
export type QueryRange = (query: string, range: TimeRange) => Promise<readonly MetricSeries[]>;

/** What a person can look back at, in seconds. */
const RANGES = { '1h': 3_600, '6h': 21_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export type MetricRange = keyof typeof RANGES;
export const METRIC_RANGES = Object.keys(RANGES) as readonly MetricRange[];

/** Points of a series; Prometheus rejects more than 11,000. */
const POINTS = 120;
/** More lines in one chart cannot be distinguished. */
const MAX_SERIES = 8;
const MAX_NAME = 200;

/** The last so many hours or days, on the grid of its steps, so that whoever asks in the same step asks the same. */
export function timeRangeOf(range: MetricRange, now: number): TimeRange {
  const seconds = RANGES[range];
  const step = Math.max(15, seconds / POINTS);
  const end = Math.floor(now / 1000 / step) * step;
  return { start: end - seconds, end, step };
}

/**
 * Puts the variables into a query. A rate needs several scrapes: `$interval` is at least four minutes.
 *
 * @throws AppError `InvalidInput` for a variable that does not exist.
 */
export function expandQuery(query: string, variables: Labels, { step }: TimeRange): string {
  const values: Labels = { ...variables, interval: `${Math.max(240, step * 2)}s` };
  return query.replaceAll(/\$([a-zA-Z_]\w*)/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values).map((one) => `$${one}`);
    throw new AppError('InvalidInput', `query: $${name} is not a variable; there are ${known.join(', ')}`);
  });
}

/** The chart of an answer: the series with the largest last values, each with a name. */
export function metricChart(query: MetricQuery, series: readonly MetricSeries[]): MetricChart {
  const shown = series.toSorted((a, b) => (b.points.at(-1)?.[1] ?? 0) - (a.points.at(-1)?.[1] ?? 0)).slice(0, MAX_SERIES);
  return {
    ...headOf(query),
    series: shown.map(({ labels, points }) => ({ name: seriesName(query, labels), points })),
    omitted: series.length - shown.length,
  };
}

/** The chart of a query that was not answered. */
export function failedChart(query: MetricQuery, fault: string): MetricChart {
  return { ...headOf(query), series: [], omitted: 0, fault };
}

function headOf({ title, unit, description, thresholds }: MetricQuery): Pick<MetricChart, 'title' | 'unit' | 'description' | 'thresholds'> {
  return { title, unit, description, thresholds: thresholds.toSorted((a, b) => a.value - b.value) };
}

function seriesName({ title, legend }: MetricQuery, labels: Labels): string {
  const named = legend.replaceAll(/\{\{\s*(\w{1,200})\s*\}\}/g, (_, label: string) =>
    Object.hasOwn(labels, label) ? (labels[label] ?? '') : '',
  );
  const all = Object.entries(labels).map(([label, value]) => (label === '__name__' ? value : `${label}=${value}`));
  const name = legend === '' ? all.sort().join(', ') : named;
  return (name.trim() === '' ? title : name).slice(0, MAX_NAME);
}
