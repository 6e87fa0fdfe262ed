import { condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Sealed Secrets (github.com/bitnami-labs/sealed-secrets). */
export const sealedSecrets: HealthRules = {
  'bitnami.com/SealedSecret': [
    healthy(condition('Synced')),
    degraded(condition('Synced', 'False')),
    progressing(otherwise, 'Waiting for Sealed Secret to be decrypted'),
  ],
};
