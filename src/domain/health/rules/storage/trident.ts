import { degraded, field, healthy, otherwise, progressing, unknown, type HealthRules } from '../rule.ts';

const LAST = 'status.lastOperationStatus';

/** Trident (docs.netapp.com/us-en/trident): the last thing that was done to a storage backend. */
export const trident: HealthRules = {
  'trident.netapp.io/TridentBackendConfig': [
    degraded(field(LAST, 'Failed'), '{status.message}'),
    degraded(field('status.phase', 'Lost'), '{status.message}'),
    unknown(field('status.phase', 'Unknown'), '{status.message}'),
    healthy(field(LAST, 'Success'), '{status.message}'),
    progressing(otherwise, 'Waiting for backend creation'),
  ],
};
