import { condition, degraded, healthy, type HealthRules } from '../rule.ts';

/** Teleport (goteleport.com/docs, "Kubernetes Operator"): every kind has the same conditions, of which this one comes last. */
export const teleport: HealthRules = {
  'resources.teleport.dev/*': [
    degraded(condition('*', 'False')),
    healthy(condition('SuccessfullyReconciled'), '{|Successfully reconciled}'),
  ],
};
