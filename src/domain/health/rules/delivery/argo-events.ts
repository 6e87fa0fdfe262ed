import { condition, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

/** Argo Events (argoproj.github.io/argo-events): a condition for each thing that has to be there. */
const RULE: HealthRule = [
  degraded(condition('*', 'False')),
  progressing(condition('*', 'Unknown')),
  healthy(condition('Deployed'), '{kind} is deployed'),
  progressing(otherwise, 'Waiting for {kind} to be deployed'),
];

export const argoEvents: HealthRules = { 'argoproj.io/EventBus': RULE, 'argoproj.io/EventSource': RULE, 'argoproj.io/Sensor': RULE };
