import { outdated, progressing, unreported, type HealthRules } from '../rule.ts';

/** Pulumi (pulumi.com/docs, "Kubernetes operator"): conditions after the conventions, which the generic rule reads. */
export const pulumi: HealthRules = {
  'pulumi.com/*': [
    progressing(unreported, 'Waiting for the operator'),
    progressing(outdated(), 'Waiting for the operator to observe the latest spec change'),
  ],
};
