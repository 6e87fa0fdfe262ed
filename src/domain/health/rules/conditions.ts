import { at, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';

/** A condition of foreign data: only `type` and `status` can be relied on. */
export interface ForeignCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** The conditions of `status.conditions`, as far as they are readable. */
export function conditionsOf(object: KubeObject): ForeignCondition[] {
  return conditionsIn(at(object.status, 'conditions'));
}

/** The conditions of a list, as far as they are readable. */
export function conditionsIn(list: unknown): ForeignCondition[] {
  const conditions: ForeignCondition[] = [];
  for (const item of listAt(list).slice(0, MAX_CONDITIONS)) {
    const type = textAt(item, 'type') ?? '';
    if (type === '' || !isObject(item)) continue;
    const base = { type, status: statusOf(item), reason: textAt(item, 'reason') ?? '', message: textAt(item, 'message') ?? '' };
    const observedGeneration = numberAt(item, 'observedGeneration');
    conditions.push(observedGeneration === undefined ? base : { ...base, observedGeneration });
  }
  return conditions;
}

/** Of one object; what stands behind them is not read. */
const MAX_CONDITIONS = 200;

/** Some write a boolean, or in small letters, against the conventions. */
function statusOf(item: object): string {
  const status = at(item, 'status');
  if (status === true || status === 'true') return 'True';
  if (status === false || status === 'false') return 'False';
  return typeof status === 'string' ? status : 'Unknown';
}

/** The sentence of a condition: its message, else its reason, else its type. */
export function sentence(condition: ForeignCondition): string {
  return condition.message || condition.reason || condition.type;
}

/** All conditions of an object, a numbered line each, such as `1: Ready | True`. */
export function numberedConditions(object: KubeObject): string {
  return conditionsOf(object)
    .map(({ type, status }, index) => `${index + 1}: ${type} | ${status}\n`)
    .join('');
}
