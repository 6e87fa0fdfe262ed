import { at } from '../../../core/read.ts';
import { conditionsIn } from '../conditions.ts';
import { condition, conditionAs, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const CLUSTER: HealthRule = [
  healthy(condition('Ready')),
  degraded(condition('Ready', 'False', 'Failed')),
  progressing(condition('Ready', ['False', 'Unknown'])),
  progressing(otherwise, 'No status info available'),
];

/** A job that runs once or by a schedule; `Complete` says of both how the last run went. */
const JOB: HealthRule = [
  degraded(({ status }) => failedJob(status)),
  healthy(conditionAs('{reason} {message}', 'Complete')),
  progressing(conditionAs('{reason} {message}', 'Complete', ['False', 'Unknown'])),
];

/** mariadb-operator, also under the name of its group before it moved. */
export const mariadb: HealthRules = {
  'k8s.mariadb.com/Backup': JOB,
  'k8s.mariadb.com/PhysicalBackup': JOB,
  'k8s.mariadb.com/Restore': JOB,
  'k8s.mariadb.com/SqlJob': JOB,
  'k8s.mariadb.com/*': CLUSTER,
  'mariadb.mmontes.io/MariaDB': CLUSTER,
};

/** A failed run of a schedule is reported by the message alone, below a reason that speaks of the schedule. */
function failedJob(status: unknown): string | undefined {
  const complete = conditionsIn(at(status, 'conditions')).find(({ type }) => type === 'Complete');
  if (complete === undefined || (complete.message !== 'Failed' && !complete.reason.endsWith('Failed'))) return undefined;
  return `${complete.reason} ${complete.message}`;
}
