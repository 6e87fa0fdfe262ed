import { condition, conditionAs, degraded, healthy, type HealthRules } from '../rule.ts';

/** Datadog's operator and its Cluster Agent. */
export const datadog: HealthRules = {
  'datadoghq.com/DatadogMetric': [
    degraded(conditionAs('{reason}: {message}', 'Error')),
    degraded(condition('Valid', 'False')),
    healthy(condition('Valid'), 'DatadogMetric is healthy'),
  ],
};
