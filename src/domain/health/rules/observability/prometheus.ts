import {
  condition,
  degraded,
  field,
  healthy,
  progressing,
  reasonOf,
  suspended,
  unreported,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

/** `Available` has a third status between true and false: some of the pods are ready. */
const rule: HealthRule = [
  suspended(field('spec.paused', true), '{kind} is paused'),
  healthy(condition('Available'), 'All instances are available'),
  progressing(reasonOf('Available', ['Degraded', 'Unknown'])),
  degraded(condition('Available', 'False')),
  progressing(unreported, 'Waiting for {kind} to report a status'),
];

/** The Prometheus Operator (prometheus-operator.dev). */
export const prometheus: HealthRules = {
  'monitoring.coreos.com/Prometheus': rule,
  'monitoring.coreos.com/PrometheusAgent': rule,
  'monitoring.coreos.com/Alertmanager': rule,
  'monitoring.coreos.com/ThanosRuler': rule,
};
