import { degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Jaeger's operator, which has a phase and no conditions. */
export const jaeger: HealthRules = {
  'jaegertracing.io/Jaeger': [
    healthy(field('status.phase', 'Running'), 'Jaeger is Running'),
    degraded(field('status.phase', 'Failed'), 'Jaeger Failed For Some Reason'),
    progressing(otherwise, 'Waiting for Jaeger'),
  ],
};
