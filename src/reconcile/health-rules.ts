import { ownerName, ruleFaultsOf, ruleCountOf } from '../domain/health/rule-table.ts';
import type { ConditionInput } from '../domain/kubernetes/condition.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { isFalse, isTrue } from './conditions.ts';

/** The rules that failed lately where they were evaluated, each with its owner and place. */
export type FailedRules = () => readonly { readonly owner: string; readonly field: string; readonly message: string }[];

/** The condition `HealthRulesValid` of a resource with health rules: which of them do not compile or fail, by their places; none where it has no rules. */
export function healthRulesValid(owner: KubeObject, failed: FailedRules = () => []): readonly ConditionInput[] {
  const count = ruleCountOf(owner);
  if (count === 0) return [];
  const uncompiled = ruleFaultsOf(owner);
  if (uncompiled.length > 0) return [isFalse('HealthRulesValid', 'InvalidExpression', sentence(uncompiled))];
  const name = ownerName(owner);
  const faults = failed().filter((fault) => fault.owner === name);
  if (faults.length > 0) return [isFalse('HealthRulesValid', 'EvaluationFailed', sentence(faults))];
  return [isTrue('HealthRulesValid', 'Valid', count === 1 ? 'The rule compiles' : `All ${count} rules compile`)];
}

function sentence(faults: readonly { readonly field: string; readonly message: string }[]): string {
  return faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
}
