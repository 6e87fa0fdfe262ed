import type { ConditionInput } from '../../src/domain/kubernetes/condition.ts';
import type { KnownType } from '../../src/domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { LiveObject, Manifest } from './kube-object.ts';

/** What stands in the cluster for one parent. */
export interface Observed {
  /** The objects that the parent controls. */
  readonly children: readonly LiveObject[];
  /** The claims of its pods; the StatefulSet controller makes them. */
  readonly claims: readonly LiveObject[];
}

/** The state of one parent in words. */
export interface Report {
  readonly phase: 'Creating' | 'Updating' | 'Ready' | 'Degraded';
  readonly conditions: readonly ConditionInput[];
  /** Other fields of `status`. */
  readonly fields: JsonObject;
}

/** A change to a claim that a StatefulSet cannot make, because its templates are immutable. */
export interface ClaimGrowth {
  readonly claim: LiveObject;
  readonly size: string;
}

/** A kind that an operator turns into objects. All its functions are pure. */
export interface ManagedKind {
  /** The name of the operator: its field manager, the label of what it owns, and its name in events. */
  readonly operator: string;
  readonly resource: KnownType;
  /** The kinds that `desired` may name. */
  readonly owned: readonly KnownType[];
  /** The Secret with what people need to connect. `current` is what it holds now; passwords in it must be kept. */
  secret(parent: LiveObject, current: Readonly<Record<string, string>>, makePassword: () => string): SecretContent;
  desired(parent: LiveObject, observed: Observed, secretValues: Readonly<Record<string, string>>): readonly Manifest[];
  growth(parent: LiveObject, observed: Observed): readonly ClaimGrowth[];
  /** @param observed After everything was applied, with the faults of growing claims. */
  report(parent: LiveObject, observed: Observed, growthFaults: readonly string[]): Report;
}
export interface SecretContent {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The label that tells what belongs to an operator, and the one that tells to which parent. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'app.kubernetes.io/instance';
