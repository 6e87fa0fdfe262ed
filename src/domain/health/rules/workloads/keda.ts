import { condition, degraded, healthy, otherwise, progressing, suspended, type HealthRule, type HealthRules } from '../rule.ts';

const SCALED: HealthRule = [
  suspended(condition('Paused')),
  degraded(condition('Ready', ['False', 'Unknown'])),
  healthy(condition('Ready')),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** KEDA (keda.sh): what is scaled by events. */
export const keda: HealthRules = { 'keda.sh/ScaledJob': SCALED, 'keda.sh/ScaledObject': SCALED };
