import type { Kind } from '../../domain/kind/kind.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { type Condition, type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { applyStatus } from '../apply-status.ts';
import type { GitLabPorts } from './ports.ts';

/** What is true of a resource now: `Ready`, or what it waits for, or what somebody has to correct. */
export interface Outcome {
  readonly kind: 'Ready' | 'Reconciling' | 'Stalled';
  readonly reason: string;
  readonly message: string;
}

interface Report<T> {
  readonly object: KubeObject;
  readonly outcome: Outcome;
  /** The rest of the status. */
  readonly rest: Omit<T, 'conditions' | 'observedGeneration'>;
  readonly signal: AbortSignal;
}

/** Writes the status when it differs, and an Event when the reason has changed. */
export async function report<T extends { readonly conditions: readonly Condition[] }>(
  { cluster, events, now }: Pick<GitLabPorts, 'cluster' | 'events' | 'now'>,
  kind: Kind<unknown, T>,
  { object, outcome, rest, signal }: Report<T>,
): Promise<void> {
  const { conditions: earlier } = statusOf(kind, object);
  const observedGeneration = object.metadata.generation ?? 0;
  const time = `${now().toISOString().slice(0, 19)}Z`;
  const conditions = mergeConditions(earlier, conditionsOf(outcome, observedGeneration), time);
  const status = { observedGeneration, ...rest, conditions };
  if ((await applyStatus(cluster, kind.type, { object, status, signal })) === 'Unchanged') return;
  const { kind: word, reason, message } = outcome;
  if (findCondition(earlier, 'Ready')?.reason === reason) return;
  await events.record(object, { type: word === 'Stalled' ? 'Warning' : 'Normal', reason, message });
}

function conditionsOf({ kind, reason, message }: Outcome, observedGeneration: number): ConditionInput[] {
  const ready: ConditionInput = { type: 'Ready', status: kind === 'Ready' ? 'True' : 'False', reason, message, observedGeneration };
  return kind === 'Ready' ? [ready] : [ready, { ...ready, type: kind, status: 'True' }];
}
