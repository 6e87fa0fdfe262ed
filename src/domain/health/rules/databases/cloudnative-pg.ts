import {
  condition,
  degraded,
  field,
  healthy,
  otherwise,
  progressing,
  suspended,
  unreported,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** What is declared inside a database. */
const APPLIED: HealthRule = [
  healthy(field('status.applied', true), '{kind} is applied'),
  degraded(field('status.applied', false), '{status.message|It could not be applied}'),
  progressing(otherwise, 'Waiting for {kind} to be applied'),
];

/** CloudNativePG (cloudnative-pg.io): phases are sentences, of which one is good. EDB sells the operator under a group of its own. */
export const cloudnativePg: HealthRules = { ...rulesOf('postgresql.cnpg.io'), ...rulesOf('postgresql.k8s.enterprisedb.io') };

function rulesOf(group: string): HealthRules {
  return {
    [`${group}/Cluster`]: [
      suspended(condition('cnpg.io/hibernation')),
      healthy(field(PHASE, 'Cluster in healthy state')),
      degraded(
        field(
          PHASE,
          'Cluster cannot execute instance online upgrade due to missing architecture binary',
          'Cluster has incomplete or invalid image catalog',
          'Cluster is unrecoverable and needs manual intervention',
          'Cluster upgrade failed',
          'Not enough disk space',
          'Unable to create required cluster objects',
        ),
        '{status.phaseReason|Cluster cannot go on by itself}',
      ),
      suspended(field(PHASE, 'Waiting for user action')),
      progressing(field(PHASE)),
      progressing(unreported, 'Waiting for {kind} to report a status'),
    ],
    [`${group}/Backup`]: [
      healthy(field(PHASE, 'completed')),
      degraded(field(PHASE, 'failed', 'walArchivingFailing'), '{status.error|failed}'),
      progressing(otherwise, '{status.phase|pending}'),
    ],
    [`${group}/Database`]: APPLIED,
    [`${group}/Publication`]: APPLIED,
    [`${group}/Subscription`]: APPLIED,
  };
}
