import type { Kind } from '../domain/kind/kind.ts';
import { statusOf } from '../domain/kind/kind.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { type Condition, type ConditionInput, findCondition, mergeConditions } from '../domain/kubernetes/condition.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { applyStatus } from './apply-status.ts';

/** What is true of a resource now: `Ready`, or what it waits for, or what somebody has to correct. */
export interface Outcome {
  readonly kind: 'Ready' | 'Reconciling' | 'Stalled';
  readonly reason: string;
  readonly message: string;
}

/** What reporting needs of the world. */
export interface ReportPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'applyStatus'>;
  readonly events: {
    record(
      about: KubeObject,
      event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
    ): Promise<void>;
  };
  readonly now: () => Date;
}

interface Report<T> {
  readonly object: KubeObject;
  readonly outcome: Outcome;
  /** The rest of the status. */
  readonly rest: Omit<T, 'conditions' | 'observedGeneration'>;
  /** Beside Ready, Reconciling and Stalled. */
  readonly others?: readonly Omit<ConditionInput, 'observedGeneration'>[];
  readonly signal: AbortSignal;
}

/** Writes the status of a resource that another one is made of, when it differs, and an Event when the reason has changed. */
export async function reportOutcome<T extends { readonly conditions: readonly Condition[] }>(
  { cluster, events, now }: ReportPorts,
  kind: Kind<unknown, T>,
  { object, outcome, rest, others = [], signal }: Report<T>,
): Promise<void> {
  const { conditions: earlier } = statusOf(kind, object);
  const observedGeneration = object.metadata.generation ?? 0;
  const time = `${now().toISOString().slice(0, 19)}Z`;
  const wanted = [...outcomeConditions(outcome, observedGeneration), ...others.map((one) => ({ ...one, observedGeneration }))];
  const status = { observedGeneration, ...rest, conditions: mergeConditions(earlier, wanted, time) };
  if ((await applyStatus(cluster, kind.type, { object, status, signal })) === 'Unchanged') return;
  const { kind: outcomeKind, reason, message } = outcome;
  if (findCondition(earlier, 'Ready')?.reason === reason) return;
  await events.record(object, { type: outcomeKind === 'Stalled' ? 'Warning' : 'Normal', reason, message });
}

function outcomeConditions({ kind, reason, message }: Outcome, observedGeneration: number): ConditionInput[] {
  const ready: ConditionInput = { type: 'Ready', status: kind === 'Ready' ? 'True' : 'False', reason, message, observedGeneration };
  return kind === 'Ready' ? [ready] : [ready, { ...ready, type: kind, status: 'True' }];
}
