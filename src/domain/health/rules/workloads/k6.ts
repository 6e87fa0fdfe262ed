import { degraded, field, healthy, otherwise, progressing, suspended, type HealthRule, type HealthRules } from '../rule.ts';

const STAGE = 'status.stage';

const RUN: HealthRule = [
  healthy(field(STAGE, 'finished')),
  degraded(field(STAGE, 'error')),
  suspended(field(STAGE, 'stopped')),
  progressing(otherwise, '{status.stage|Waiting for the test to start}'),
];

/** The operator of k6 (grafana.com/docs/k6), whose tests go from stage to stage. */
export const k6: HealthRules = { 'k6.io/K6': RUN, 'k6.io/TestRun': RUN };
