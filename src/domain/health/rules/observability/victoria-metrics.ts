import { absent, degraded, either, field, healthy, outdated, progressing, suspended, type HealthRules } from '../rule.ts';

const STATUS = 'status.updateStatus';

/** VictoriaMetrics (docs.victoriametrics.com/operator): every kind of the operator has the same `updateStatus`. */
export const victoriaMetrics: HealthRules = {
  'operator.victoriametrics.com/*': [
    suspended(either(field('spec.paused', true), field(STATUS, 'paused')), 'Reconciliation is paused'),
    progressing(either(absent(STATUS), outdated()), 'Waiting for the operator to reconcile'),
    degraded(field(STATUS, 'failed'), '{status.reason|Reconciliation failed}'),
    healthy(field(STATUS, 'operational'), 'All components are operational'),
    progressing(field(STATUS), 'Reconciliation in progress'),
  ],
};
