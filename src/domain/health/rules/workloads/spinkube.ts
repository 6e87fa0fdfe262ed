import { condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** SpinKube (spinkube.dev): the conditions of the Deployment below an app. */
export const spinkube: HealthRules = {
  'core.spinkube.dev/SpinApp': [
    degraded(condition('Progressing', 'False', 'ProgressDeadlineExceeded')),
    progressing(condition('Progressing')),
    degraded(condition('Available', 'False')),
    healthy(condition('Available'), 'Application is healthy with {status.readyReplicas|0}/{spec.replicas|0} replicas ready'),
    progressing(otherwise, 'Waiting for status to be available'),
  ],
};
