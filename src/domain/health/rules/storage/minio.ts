import { degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

const STATE = 'status.currentState';

/** MinIO (github.com/minio/operator): one sentence says what its operator is about; these are the ones that it stops at. */
export const minio: HealthRules = {
  'minio.min.io/Tenant': [
    healthy(field(STATE, 'Initialized')),
    degraded(
      field(
        STATE,
        'Statefulset not controlled by operator',
        'Another MinIO Tenant already exists in the namespace',
        'Tenant credentials are not set properly',
        'Different versions across MinIO Pools',
        'Pool Decommissioning Not Allowed',
      ),
    ),
    progressing(field(STATE)),
    progressing(otherwise, 'No status info available'),
  ],
};
