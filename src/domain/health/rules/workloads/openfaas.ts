import { all, condition, degraded, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

/** OpenFaaS (docs.openfaas.com): a function that is ready and has no replica was scaled to zero until it is called. */
export const openfaas: HealthRules = {
  'openfaas.com/Function': [
    degraded(condition('Stalled')),
    suspended(all(condition('Ready'), condition('Healthy', 'False')), 'No replicas available'),
    healthy(condition('Ready')),
    progressing(otherwise, 'Waiting for Function'),
  ],
};
