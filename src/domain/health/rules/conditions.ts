import type { Health } from '../health.ts';
import { isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';

/** A condition of foreign data: only `type` and `status` can be relied on. */
export interface ForeignCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of `status.conditions`, as far as they are readable. */
export function conditionsOf(object: KubeObject): ForeignCondition[] {
  return listAt(object.status, 'conditions')
    .filter((item) => isObject(item))
    .map((item) => ({
      type: textAt(item, 'type') ?? '',
      status: textAt(item, 'status') ?? 'Unknown',
      reason: textAt(item, 'reason') ?? '',
      message: textAt(item, 'message') ?? '',
    }))
    .filter((item) => item.type !== '');
}

/** The sentence of a condition: its message, else its reason, else its type. */
export function sentence(condition: ForeignCondition): string {
  return condition.message || condition.reason || condition.type;
}

const POSITIVE = ['Ready', 'Available', 'Succeeded', 'Established', 'Complete', 'Synced', 'Healthy'];
const NEGATIVE = ['Stalled', 'Failed', 'Degraded'];

/**
 * The generic rule, after kstatus: an older observed generation or `Reconciling=True` is Progressing; `Stalled=True` and its like are
 * Degraded; `Ready=True` and its like are Healthy, `False` is Progressing while something is being done and Degraded otherwise.
 */
export function conditionsHealth(object: KubeObject): Health | undefined {
  const conditions = conditionsOf(object);
  const stalled = conditions.find((condition) => NEGATIVE.includes(condition.type) && condition.status === 'True');
  if (stalled !== undefined) return { word: 'Degraded', message: sentence(stalled) };

  const observed = numberAt(object.status, 'observedGeneration');
  const generation = object.metadata.generation;
  if (observed !== undefined && generation !== undefined && observed < generation) {
    return { word: 'Progressing', message: 'The latest change is not taken up yet' };
  }
  const busy = conditions.find((condition) => ['Reconciling', 'Progressing'].includes(condition.type) && condition.status === 'True');
  const positive = POSITIVE.map((type) => conditions.find((condition) => condition.type === type)).find(
    (condition) => condition !== undefined,
  );
  if (positive === undefined) return busy === undefined ? undefined : { word: 'Progressing', message: sentence(busy) };
  if (positive.status === 'True') return { word: 'Healthy', message: sentence(positive) };
  if (busy !== undefined || positive.status === 'Unknown') return { word: 'Progressing', message: sentence(positive) };
  return { word: isWaiting(positive) ? 'Progressing' : 'Degraded', message: sentence(positive) };
}

/** Many controllers say `Ready=False` with a reason that only means "not yet". */
function isWaiting(condition: ForeignCondition): boolean {
  return /pending|progress|creat|initializ|provision|starting|waiting|installing|deploying|notready|reconciling|scaling|updating/i.test(
    condition.reason,
  );
}
