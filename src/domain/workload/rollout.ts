import { booleanAt, listAt, numberAt, textAt } from '../core/read.ts';
import { type ForeignCondition, conditionsOf } from '../health/rules/conditions.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';
import type { WorkloadRevision } from './revisions.ts';

/** `Stalled`: it does not go on by itself; `Paused` (also a suspended Job): somebody stopped it, or its strategy waits. */
export const ROLLOUT_STATES = ['Complete', 'Progressing', 'Paused', 'Stalled'] as const;

/** How far the current revision of a workload has come. */
export interface Rollout {
  readonly state: (typeof ROLLOUT_STATES)[number];
  /** Of the desired pods, those that are ready in the current revision; of Jobs, those that completed; a whole number, 0 to 100. */
  readonly percentage: number;
  /** What it waits for or why it has stopped; empty when it is complete. */
  readonly message: string;
  /** Per cent of the traffic that an Argo Rollout sends to its canary; absent while it has none. */
  readonly canaryWeight?: number;
}

interface RolloutInput {
  readonly desired: number;
  /** The current one first. */
  readonly revisions: readonly WorkloadRevision[];
}

const MAX_MESSAGE_LENGTH = 1_000;

/** As `kubectl rollout status` decides, for any kind that counts its replicas. */
export function rolloutOf(head: KubeObject, input: RolloutInput): Rollout {
  const rollout = isBatch(head) ? batchRollout(head, input) : replicaRollout(head, input);
  return { ...rollout, message: rollout.message.slice(0, MAX_MESSAGE_LENGTH) };
}

/** Whether its pods end by themselves. */
export function isBatch(head: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return ['batch/Job', 'batch/CronJob'].includes(kindKey(head));
}

function batchRollout(head: KubeObject, { desired, revisions }: RolloutInput): Rollout {
  const completed = kindKey(head) === 'batch/Job' ? (numberAt(head.status, 'succeeded') ?? 0) : (revisions[0]?.completed ?? 0);
  const percentage = share(completed, desired);
  const failed = conditionsOf(head).find((one) => one.type === 'Failed' && one.status === 'True');
  if (failed !== undefined) return { state: 'Stalled', percentage, message: messageOf(failed) };
  if (booleanAt(head.spec, 'suspend') === true) return { state: 'Paused', percentage, message: 'Suspended' };
  if (completed >= desired) return { state: 'Complete', percentage: 100, message: '' };
  return { state: 'Progressing', percentage, message: `${completed} of ${desired} completed` };
}

function replicaRollout(head: KubeObject, { desired, revisions }: RolloutInput): Rollout {
  const counts = countsOf(head, { desired, revisions });
  const percentage = share(counts.ready, desired);
  const weight = numberAt(head.status, 'canary', 'weights', 'canary', 'weight');
  const canary = weight === undefined ? {} : { canaryWeight: weight };
  const stalled = stallOf(head);
  if (stalled !== undefined) return { state: 'Stalled', percentage, message: stalled, ...canary };
  const paused = pauseOf(head, counts);
  if (paused !== undefined) return { state: 'Paused', percentage, message: paused, ...canary };
  const waiting = waitingFor(head, counts);
  if (waiting !== '') return { state: 'Progressing', percentage, message: waiting, ...canary };
  return { state: 'Complete', percentage: 100, message: '', ...canary };
}

interface Counts {
  readonly desired: number;
  /** Pods of the current revision. */
  readonly updated: number;
  /** Those of them that are ready. */
  readonly ready: number;
  readonly old: number;
}

/** Where pods cannot be read, the status of the workload counts them. */
function countsOf({ status }: KubeObject, { desired, revisions }: RolloutInput): Counts {
  const pods = revisions.flatMap((revision) => revision.pods);
  const own = revisions.filter(({ current }) => current).flatMap((revision) => revision.pods);
  const number = (...names: readonly string[]): number | undefined =>
    names.map((name) => numberAt(status, name)).find((one) => one !== undefined);
  const updated = number('updatedReplicas', 'updatedNumberScheduled') ?? own.length;
  const total = number('replicas', 'currentNumberScheduled') ?? pods.length;
  const counted = Math.min(updated, number('availableReplicas', 'readyReplicas', 'numberAvailable') ?? 0);
  return {
    desired,
    updated,
    ready: pods.length === 0 ? counted : own.filter(({ ready }) => ready).length,
    old: Math.max(0, total - updated),
  };
}

function stallOf(head: KubeObject): string | undefined {
  const late = conditionsOf(head).find(({ type, status, reason }) => {
    return type === 'Progressing' && status === 'False' && ['ProgressDeadlineExceeded', 'RolloutAborted'].includes(reason);
  });
  if (late !== undefined) return messageOf(late);
  if (booleanAt(head.status, 'abort') === true) return textAt(head.status, 'message') ?? 'The rollout was aborted';
  if (kindKey(head) === '/Pod' && textAt(head.status, 'phase') === 'Failed') return textAt(head.status, 'message') ?? 'The pod failed';
  return undefined;
}

function pauseOf({ spec, status }: KubeObject, { desired, updated, old }: Counts): string | undefined {
  const [pause] = listAt(status, 'pauseConditions');
  if (pause !== undefined) return `Paused${stepOf({ spec, status })}: ${textAt(pause, 'reason') ?? 'waiting'}`;
  if (booleanAt(spec, 'paused') === true || booleanAt(spec, 'updateStrategy', 'paused') === true) return 'The rollout is paused';
  if (old === 0) return undefined;
  if (textAt(spec, 'updateStrategy', 'type') === 'OnDelete') return 'Update strategy OnDelete: a pod is updated when you delete it';
  const partition = numberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition') ?? numberAt(spec, 'updateStrategy', 'partition') ?? 0;
  return partition > 0 && updated >= desired - partition
    ? `Partition ${partition} keeps ${old} ${old === 1 ? 'pod' : 'pods'} on an earlier revision`
    : undefined;
}

function stepOf({ spec, status }: { readonly spec: unknown; readonly status: unknown }): string {
  const [steps, index] = [listAt(spec, 'strategy', 'canary', 'steps').length, numberAt(status, 'currentStepIndex')];
  return steps === 0 || index === undefined ? '' : ` at step ${index + 1} of ${steps}`;
}

function waitingFor(head: KubeObject, { desired, updated, ready, old }: Counts): string {
  const failure = conditionsOf(head).find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure !== undefined) return messageOf(failure);
  const observed = Number(numberAt(head.status, 'observedGeneration') ?? textAt(head.status, 'observedGeneration') ?? Number.NaN);
  if (observed < (head.metadata.generation ?? 0)) return 'Waiting for the controller to observe the change';
  if (updated < desired) return `${updated} of ${desired} pods are updated`;
  if (old > 0) return `${old} ${old === 1 ? 'pod' : 'pods'} of earlier revisions still to be terminated`;
  return ready < desired ? `${ready} of ${desired} updated pods are ready` : '';
}

function messageOf({ message, reason }: ForeignCondition): string {
  return message === '' ? reason : message;
}

function share(part: number, whole: number): number {
  return whole <= 0 ? 100 : Math.max(0, Math.min(100, Math.floor((100 * part) / whole)));
}
