import type { Health } from '../../health.ts';
import { booleanAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf, sentence } from '../conditions.ts';

export function jobHealth(object: KubeObject): Health {
  const conditions = conditionsOf(object).filter((condition) => condition.status === 'True');
  const failed = conditions.find((condition) => condition.type === 'Failed');
  if (failed !== undefined) return { status: 'Degraded', message: sentence(failed) };
  const complete = conditions.find((condition) => ['Complete', 'SuccessCriteriaMet'].includes(condition.type));
  if (complete !== undefined) return { status: 'Healthy', message: 'The job completed' };
  if (booleanAt(object.spec, 'suspend') === true) return { status: 'Suspended', message: 'The job is suspended' };
  return { status: 'Progressing', message: 'The job is running' };
}
