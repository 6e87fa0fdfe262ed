import { METRIC_RANGES } from '../../domain/monitoring/metrics.ts';
import { METRIC_UNITS } from '../../domain/monitoring/monitoring-field.ts';
import { flag, integer, list, object, text, time } from '../schema-parts.ts';

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
