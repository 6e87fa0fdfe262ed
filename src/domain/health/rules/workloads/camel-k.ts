import { all, condition, degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Camel K (camel.apache.org). */
export const camelK: HealthRules = {
  'camel.apache.org/Integration': [
    degraded(all(condition('Ready', 'False'), field('status.phase', 'Error'))),
    healthy(all(condition('Ready'), field('status.phase', 'Running'))),
    progressing(otherwise, 'Waiting for Integration'),
  ],
};
