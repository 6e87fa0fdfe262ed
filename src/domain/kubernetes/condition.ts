import { isObject, listAt, numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from './resource.ts';

/** A condition of the Kubernetes API conventions (`metav1.Condition`). */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One CamelCase word. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  readonly observedGeneration?: number;
  /** RFC 3339. Moves only when `status` changes. */
  readonly lastTransitionTime: string;
}

/** The condition of a resource whose CatalogSource has no document of it any more. Written by the controller of sources, beside the conditions of its own controller. */
export const PENDING_REMOVAL = 'PendingRemoval';

/** The condition of a resource whose status another field manager, or another process with ours, writes too. */
export const CONTENDED = 'Contended';

/** A condition as a reconciler decides it, before the time of its last transition is known. */
export type ConditionInput = Omit<Condition, 'lastTransitionTime'>;

/**
 * Lays conditions over the earlier ones: the transition time is kept while the status is the same. Earlier conditions whose type is not
 * among the new ones are dropped, so that `Reconciling` and `Stalled` stand only while they are true. Sorted by type.
 *
 * @param now RFC 3339, whole seconds.
 */
export function mergeConditions(earlier: readonly Condition[], next: readonly ConditionInput[], now: string): Condition[] {
  const known = new Map(earlier.map((condition) => [condition.type, condition]));
  return next
    .map((condition) => {
      const before = known.get(condition.type);
      return { ...condition, lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : now };
    })
    .sort((a, b) => a.type.localeCompare(b.type));
}

/** The condition of a type, where there is one. */
export function findCondition<C extends { readonly type: string }>(conditions: readonly C[], type: string): C | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Whether the status of an object says that a condition is true. */
export function isConditionTrue(object: KubeObject, type: string): boolean {
  return findCondition(conditionsOf(object), type)?.status === 'True';
}

/** The conditions in the status of any object; what is none is left out. */
export function conditionsOf({ status }: KubeObject): Condition[] {
  return listAt(status, 'conditions')
    .filter((item) => isObject(item))
    .flatMap((item) => {
      const state = textAt(item, 'status');
      if (state !== 'True' && state !== 'False' && state !== 'Unknown') return [];
      const [type = '', reason = '', message = '', lastTransitionTime = ''] = ['type', 'reason', 'message', 'lastTransitionTime'].map(
        (key) => textAt(item, key),
      );
      const observedGeneration = numberAt(item, 'observedGeneration');
      return [
        { type, status: state, reason, message, ...(observedGeneration === undefined ? {} : { observedGeneration }), lastTransitionTime },
      ];
    });
}
