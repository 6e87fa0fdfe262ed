import type { ReconcileResult } from '../../controller/controller.ts';
import { EXPIRED, extendedTo, type InstanceExpiry } from '../../domain/app-instance/expiry.ts';
import type { InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { nextPhaseAt } from '../../domain/environment/expiry.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { timestamp } from '../../domain/kubernetes/resource.ts';
import { applyStatus } from '../apply-status.ts';
import { isFalse, isTrue } from '../conditions.ts';
import { nowOf, type Work } from './work.ts';

/** Milliseconds until the next phase of an instance begins; infinite where there is none. */
export function untilNextPhase({ ports, expiry }: Work): number {
  const now = ports.now().getTime();
  return (expiry === undefined ? Infinity : (nextPhaseAt(expiry, now) ?? Infinity)) - now;
}

/** Whether the workloads are to be at zero: because somebody says so, or because the instance has expired. */
export function isToSleep({ spec, expiry }: Pick<Work, 'spec' | 'expiry'>): boolean {
  return spec.sleep || expiry?.phase === 'Expired';
}

/**
 * Writes down when the instance ends, before anything else is done, and tells of each phase once. Its times are absolute, so that the status changes with the phase and
 * the spec alone.
 *
 * @returns the work with that status.
 */
export async function reportExpiry(work: Work): Promise<Work> {
  const { ports, kind, instance, status, generation, expiry, signal } = work;
  const { expiry: _earlier, ...rest } = status;
  const before = findCondition(status.conditions, EXPIRED);
  const condition = expiry && expiryCondition(work, expiry);
  if (before === undefined && condition === undefined) return work;
  if (before?.reason === condition?.reason && before?.message === condition?.message) return work;
  const others = status.conditions.filter(({ type }) => type !== EXPIRED);
  const decided = condition === undefined ? [] : [{ ...condition, observedGeneration: generation }];
  const conditions = mergeConditions(status.conditions, [...others, ...decided], nowOf(work));
  const next: InstanceStatus = { ...rest, ...(expiry === undefined ? {} : { expiry: timesOf(expiry) }), conditions };
  await applyStatus(ports.cluster, kind, { object: instance, status: next, signal });
  await recordPhase(work, before, condition);
  return { ...work, status: next, instance: { ...instance, status: next } };
}

function timesOf({ expiresAt, deleteAt, latest }: InstanceExpiry): NonNullable<InstanceStatus['expiry']> {
  const [expires, deletes] = [expiresAt, deleteAt].map((time) => timestamp(new Date(time)));
  return {
    expiresAt: expires ?? '',
    deletesAt: deletes ?? '',
    ...(latest === undefined ? {} : { latest: timestamp(new Date(latest)) }),
  };
}

function expiryCondition(work: Work, expiry: InstanceExpiry): ConditionInput {
  const { expiresAt, deletesAt } = timesOf(expiry);
  const workloads = work.spec.suspend ? 'its workloads go on, as spec.suspend is set' : 'its workloads are scaled to zero';
  switch (expiry.phase) {
    case 'NotDue':
      return isFalse(EXPIRED, 'NotDue', `The instance expires at ${expiresAt}`);
    case 'ExpiresSoon':
      return isFalse(
        EXPIRED,
        'ExpiresSoon',
        `The instance expires at ${expiresAt}: ${workloads} then, and it is deleted at ${deletesAt}. ${remedyOf(work, expiry)}`,
      );
    case 'Expired':
    case 'Due':
      return isTrue(
        EXPIRED,
        'Expired',
        `The instance expired at ${expiresAt}: ${workloads}, and it is deleted at ${deletesAt}. ${remedyOf(work, expiry)}`,
      );
    default:
      return expiry.phase satisfies never;
  }
}

function remedyOf({ kind, instance, namespace }: Work, expiry: InstanceExpiry): string {
  const expires = extendedTo(expiry);
  if (expires === undefined) return `To keep it, ask an admin for a longer spec.expiry.after of the AppDefinition ${kind.definition}`;
  const target = `${kind.resource}.${kind.group} ${instance.metadata.name} --namespace ${namespace}`;
  const patch = `kubectl patch ${target} --type merge --patch '${JSON.stringify({ spec: { expires } })}'`;
  return `To keep it, set a later spec.expires: ${patch}`;
}

async function recordPhase({ ports, instance }: Work, before: ConditionInput | undefined, now: ConditionInput | undefined): Promise<void> {
  if (now === undefined || now.reason === before?.reason) return;
  // That an end is far is news only where it was near.
  if (now.reason === 'NotDue' && before === undefined) return;
  await ports.events.record(instance, {
    type: now.reason === 'NotDue' ? 'Normal' : 'Warning',
    reason: now.reason === 'NotDue' ? 'ExpiryExtended' : now.reason,
    message: now.message,
  });
}

/** Deletes the instance whose grace period is over; the finalizer sees to its release. */
export async function expire(work: Work): Promise<ReconcileResult> {
  const { ports, kind, instance, namespace, signal } = work;
  const { name, uid, resourceVersion } = instance.metadata;
  const expiredAt = timestamp(new Date(work.expiry?.expiresAt ?? 0));
  await ports.events.record(instance, {
    type: 'Warning',
    reason: 'Deleted',
    message: `The instance expired at ${expiredAt}, its grace period is over, and Chandlery deletes it`,
  });
  // Only as it was read: somebody may have given it more time since.
  const version = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  await ifFound(ports.cluster.delete({ ...kind, namespace, name }, { signal, ...version }));
  return {};
}
