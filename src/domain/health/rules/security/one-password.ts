import { condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** The Operator of 1Password (developer.1password.com/docs/k8s). */
export const onePassword: HealthRules = {
  'onepassword.com/OnePasswordItem': [
    healthy(condition('Ready')),
    degraded(condition('Ready', 'False')),
    progressing(otherwise, 'Waiting for controller to report status'),
  ],
};
