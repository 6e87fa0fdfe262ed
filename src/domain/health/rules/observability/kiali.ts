import { condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Operators built with Ansible write `Running` while a playbook runs and `Failure` after one that failed (sdk.operatorframework.io). */
export const kiali: HealthRules = {
  'kiali.io/Kiali': [
    degraded(condition('Failure')),
    healthy(condition('Successful')),
    progressing(condition('Running')),
    progressing(otherwise, 'Waiting for Kiali'),
  ],
};
