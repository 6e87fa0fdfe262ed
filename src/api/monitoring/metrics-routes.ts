import { METRIC_RANGES, type MetricRange } from '../../domain/monitoring/metrics.ts';
import type { Metrics } from '../../operation/monitoring/show-metrics.ts';
import type { Call, Reply, Route } from '../route.ts';
import { flag, integer, list, object, ref, text, time } from '../schema-parts.ts';
import { METRIC_UNITS } from '../../domain/monitoring/monitoring-field.ts';

const QUERY = { range: { enum: METRIC_RANGES, default: '6h', description: 'How far to look back' } } as const;
const REPLIES = { 200: { description: 'A chart for each query, in the order of the spec', schema: ref('Metrics') } } as const;

/** What the Prometheus of an environment or Operator says. */
export const METRICS_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/metrics',
    operationId: 'showEnvironmentMetrics',
    summary: 'The answers of Prometheus to the queries of an environment',
    tag: 'Environments',
    query: QUERY,
    replies: REPLIES,
    handle: async ({ operations, actor, params, query }) => {
      const { environment: _, ...metrics } = await operations.showEnvironmentMetrics(actor, {
        environment: params['environment'] ?? '',
        range: rangeIn(query),
      });
      return reply(metrics);
    },
  },
  {
    method: 'get',
    path: '/operators/{namespace}/{name}/metrics',
    operationId: 'showOperatorMetrics',
    summary: 'The answers of Prometheus to the queries of an Operator',
    tag: 'Admin',
    query: QUERY,
    replies: REPLIES,
    handle: async ({ operations, actor, params, query }) => {
      const { namespace = '', name = '' } = params;
      return reply(await operations.showOperatorMetrics(actor, { namespace, name, range: rangeIn(query) }));
    },
  },
];

function rangeIn(query: Call['query']): MetricRange {
  return METRIC_RANGES.find((range) => range === query['range']) ?? '6h';
}

function reply(body: Metrics): Reply {
  return { status: 200, body };
}

const number = { type: 'number' } as const;

/** What the API says of metrics. */
export const METRICS_SCHEMAS = {
  Metrics: object({
    configured: { ...flag, description: 'Whether `spec.monitoring` names a Prometheus' },
    range: { enum: METRIC_RANGES },
    from: time,
    to: time,
    charts: list({ $ref: '#/components/schemas/MetricChart' }),
  }),
  MetricChart: object(
    {
      title: text,
      unit: { enum: METRIC_UNITS },
      description: text,
      thresholds: list(object({ value: number, severity: { enum: ['Warning', 'Critical'] } })),
      series: list(
        object({
          name: text,
          points: {
            type: 'array',
            description: 'Seconds since 1970, and the value',
            items: { type: 'array', items: number, minItems: 2, maxItems: 2 },
          },
        }),
      ),
      omitted: { ...integer, description: 'Series that are left out' },
      fault: { ...text, description: 'Why the query was not answered; absent when it was' },
    },
    ['title', 'unit', 'description', 'thresholds', 'series', 'omitted'],
  ),
} as const;
