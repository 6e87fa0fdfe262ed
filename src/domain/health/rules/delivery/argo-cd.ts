import { condition, degraded, field, healthy, missing, otherwise, progressing, suspended, unknown, type HealthRules } from '../rule.ts';

const HEALTH = 'status.health.status';
const MESSAGE = '{status.health.message}';

/** Argo CD (argo-cd.readthedocs.io): an Application sums up the health of what it deploys, in our words. */
export const argoCd: HealthRules = {
  'argoproj.io/Application': [
    healthy(field(HEALTH, 'Healthy'), MESSAGE),
    progressing(field(HEALTH, 'Progressing'), MESSAGE),
    degraded(field(HEALTH, 'Degraded'), MESSAGE),
    suspended(field(HEALTH, 'Suspended'), MESSAGE),
    missing(field(HEALTH, 'Missing'), MESSAGE),
    unknown(field(HEALTH, 'Unknown'), MESSAGE),
    progressing(otherwise, 'Waiting for the application to be reconciled'),
  ],
  'argoproj.io/ApplicationSet': [
    degraded(condition('ErrorOccurred')),
    progressing(condition('ResourcesUpToDate', 'False')),
    healthy(condition('ResourcesUpToDate')),
    progressing(otherwise, 'Waiting for the applications to be generated'),
  ],
  'argoproj.io/AppProject': [],
};
