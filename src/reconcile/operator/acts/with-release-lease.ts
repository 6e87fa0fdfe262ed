import { OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import { clearLeaseOf, isLeaseLeft, type LeasedRelease, type LeaseMemory, withLeaseOf } from '../../helm-release/release-lease.ts';
import type { Work } from '../work.ts';

/** Changes the release of an Operator while holding its lease; see `withLeaseOf`. */
export async function withReleaseLease(work: Work, change: (signal: AbortSignal) => Promise<void>): Promise<'Done' | 'Busy'> {
  return await withLeaseOf(leasedBy(work), change);
}

/** Whether the lease of the release is there after it was given back. */
export async function isOperatorLeaseLeft(work: Work): Promise<boolean> {
  return await isLeaseLeft(leasedBy(work));
}

/** Takes away the lease that a dead worker left; see `clearLeaseOf`. */
export async function clearLease(memory: LeaseMemory, work: Work): Promise<'Free' | 'Held'> {
  return await clearLeaseOf(memory, leasedBy(work));
}

function leasedBy({ ports, release, operator, signal }: Work): LeasedRelease {
  return { ports, release, type: OPERATOR, object: operator, signal };
}

/** Frees a release that a worker left half changed, once that worker's lease has expired. A rollback that was begun goes where it was bound for. */
export async function unlockRelease(work: Work): Promise<'Done' | 'Busy'> {
  const { ports, release, operator, status } = work;
  const bound = status.rollback === undefined ? {} : { toRevision: status.rollback.toRevision };
  return withReleaseLease(work, async (signal) => {
    const step = await ports.helm.unlock({ ...release, ...bound }, signal);
    ports.log.info('A release left pending by a dead controller was unlocked', {
      operator: operator.metadata.name,
      ...release,
      step: step.kind,
    });
  });
}
