import { TerminalError } from '../controller/controller.ts';
import { isAppError, messageOf } from '../domain/core/errors.ts';
import type { Kind } from '../domain/kind/kind.ts';
import { statusOf } from '../domain/kind/kind.ts';
import type { Cluster, EventRecorder } from '../domain/kubernetes/cluster.ts';
import { type Condition, type ConditionInput, conditionsOf, findCondition, mergeConditions } from '../domain/kubernetes/condition.ts';
import { type KubeObject, timestamp } from '../domain/kubernetes/resource.ts';
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
  readonly events: EventRecorder;
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
  const time = timestamp(now());
  const wanted = [...outcomeConditions(outcome, observedGeneration), ...others.map((one) => ({ ...one, observedGeneration }))];
  const status = { observedGeneration, ...rest, conditions: mergeConditions(earlier, wanted, time) };
  if ((await applyStatus(cluster, kind.type, { object, status, signal })) === 'Unchanged') return;
  const { kind: outcomeKind, reason, message } = outcome;
  if (findCondition(earlier, 'Ready')?.reason === reason) return;
  await events.record(object, { type: outcomeKind === 'Stalled' ? 'Warning' : 'Normal', reason, message });
}

/**
 * Runs one reconciliation, and reports what it throws: an invalid spec ends it, other errors are tried again. What is over at the next try is not reported.
 *
 * @param report writes an outcome.
 * @throws TerminalError for an invalid spec, and every other error as it is.
 */
export async function withReportedErrors<T>(
  signal: AbortSignal,
  report: (outcome: Outcome) => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'Conflict', 'AlreadyExists', 'ClusterUnavailable', 'NotFound')) throw error;
    if (isAppError(error, 'InvalidInput')) {
      await report({ kind: 'Stalled', reason: 'InvalidSpec', message: error.message });
      throw new TerminalError(error.code, error.message, { faults: error.faults, cause: error });
    }
    await report({ kind: 'Reconciling', reason: 'Retrying', message: messageOf(error) });
    throw error;
  }
}

/** The outcome of a resource as the one that is made of it says. @param words for it: `environment shop`. @param more of it when it is ready. */
export function outcomeOfMade(made: KubeObject, { words, more = '' }: { readonly words: string; readonly more?: string }): Outcome {
  const conditions = conditionsOf(made);
  const ready = findCondition(conditions, 'Ready');
  if (ready === undefined || ready.observedGeneration !== made.metadata.generation)
    return { kind: 'Reconciling', reason: `${made.kind}NotReady`, message: `${words} is being created or changed` };
  if (ready.status === 'True') return { kind: 'Ready', reason: 'Ready', message: `${words} is ready${more}` };
  const stalled = findCondition(conditions, 'Stalled')?.status === 'True';
  return { kind: stalled ? 'Stalled' : 'Reconciling', reason: ready.reason, message: `${words}: ${ready.message}` };
}

function outcomeConditions({ kind, reason, message }: Outcome, observedGeneration: number): ConditionInput[] {
  const ready: ConditionInput = { type: 'Ready', status: kind === 'Ready' ? 'True' : 'False', reason, message, observedGeneration };
  return kind === 'Ready' ? [ready] : [ready, { ...ready, type: kind, status: 'True' }];
}
