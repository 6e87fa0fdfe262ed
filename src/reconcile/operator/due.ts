import { backoffDelay } from '../../domain/core/backoff.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import type { OperatorStatus } from '../../domain/operator/operator-status.ts';

/** The time between attempts while trying again may help, in milliseconds. */
export const RETRY_BACKOFF = { first: 2_000, longest: 10 * 60_000 };

export interface DueInput {
  readonly status: OperatorStatus;
  readonly generation: number;
  /** The annotation `chandlery.dev/reconcile-at`; empty when there is none. */
  readonly requestedAt: string;
  /** The versions of what it refers to; undefined when they are not known. */
  readonly references?: string | undefined;
  /** Milliseconds. */
  readonly interval: number;
  readonly now: Date;
}

/**
 * How long to wait before the next attempt, in milliseconds; 0: it is due. After failures the time grows with their number, which the status
 * keeps over restarts; when trying again cannot help it is the interval. A new spec, a changed Secret or ConfigMap that it refers to, or a person
 * who asks, is always due.
 */
export function waitBeforeAttempt({ status, generation, requestedAt, references, interval, now }: DueInput): number {
  const { failures, lastAttempted, conditions } = status;
  if (failures === 0 || lastAttempted === undefined) return 0;
  if (lastAttempted.generation !== generation || lastAttempted.requestedAt !== requestedAt) return 0;
  if (references !== undefined && lastAttempted.references !== references) return 0;
  const stalled = findCondition(conditions, 'Stalled') !== undefined;
  const delay = stalled ? interval : backoffDelay(failures, RETRY_BACKOFF, 0);
  return Math.max(0, Date.parse(lastAttempted.time) + delay - now.getTime());
}
