/** A condition as a controller decides it. */
export interface ConditionInput {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One CamelCase word. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
}
export interface Condition extends ConditionInput {
  readonly observedGeneration: number;
  /** RFC 3339, whole seconds. Moves only when `status` changes. */
  readonly lastTransitionTime: string;
}

/** Dates the conditions: the time of the last transition is kept while the status stays the same. Sorted by type. */
export function dateConditions(
  next: readonly ConditionInput[],
  earlier: readonly Condition[],
  at: { readonly now: Date; readonly generation: number },
): Condition[] {
  const now = at.now.toISOString().replace(/\.\d+Z$/, 'Z');
  return next
    .map((condition) => {
      const before = earlier.find(({ type }) => type === condition.type);
      const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
      return { ...condition, observedGeneration: at.generation, lastTransitionTime };
    })
    .sort((a, b) => a.type.localeCompare(b.type));
}
