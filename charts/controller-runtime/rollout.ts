import type { ConditionInput } from '../../src/domain/kubernetes/condition.ts';
import { numberAt, textAt } from '../../src/domain/core/read.ts';
import type { LiveObject } from './kube-object.ts';
import type { Report } from './managed-kind.ts';

/** How far the pods of a StatefulSet are. */
export interface Rollout {
  readonly wanted: number;
  readonly ready: number;
  readonly updated: number;
  readonly existing: number;
  readonly isDone: boolean;
}

export function rolloutOf(statefulSet: LiveObject | undefined): Rollout {
  const { spec, status } = statefulSet ?? {};
  const wanted = numberAt(spec, 'replicas') ?? 0;
  const ready = numberAt(status, 'readyReplicas') ?? 0;
  const existing = numberAt(status, 'replicas') ?? 0;
  const isCurrent = textAt(status, 'updateRevision') === textAt(status, 'currentRevision');
  const updated = isCurrent ? existing : (numberAt(status, 'updatedReplicas') ?? 0);
  const isObserved = (numberAt(status, 'observedGeneration') ?? 0) >= (statefulSet?.metadata.generation ?? 1);
  return { wanted, ready, updated, existing, isDone: isObserved && isCurrent && ready === wanted && existing === wanted };
}

/** Ready and Progressing for a rollout. `noun` is what people call a pod of it: copies, instances. */
export function rolloutConditions(rollout: Rollout, noun: string): readonly [ConditionInput, ConditionInput] {
  const { wanted, ready, updated, isDone } = rollout;
  if (isDone) {
    const message = `${ready} of ${wanted} ${noun} are ready`;
    return [
      { type: 'Ready', status: 'True', reason: 'AllReady', message },
      { type: 'Progressing', status: 'False', reason: 'UpToDate', message: 'Everything is as you asked for' },
    ];
  }
  const message = `${ready} of ${wanted} ${noun} are ready, ${Math.min(updated, wanted)} are up to date`;
  return [
    { type: 'Ready', status: 'False', reason: 'RollingOut', message },
    { type: 'Progressing', status: 'True', reason: 'RollingOut', message: 'A change is being rolled out' },
  ];
}

/** The phase that follows from the conditions: Creating until it was ready once, Updating after that. */
export function phaseOf(parent: LiveObject, conditions: readonly ConditionInput[]): Report['phase'] {
  const has = (type: string, status: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === status);
  if (has('Ready', 'True')) return 'Ready';
  if (has('Progressing', 'False')) return 'Degraded';
  const before = textAt(parent.status, 'phase') ?? '';
  return before === '' || before === 'Creating' ? 'Creating' : 'Updating';
}
