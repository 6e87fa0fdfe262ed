import { withReleaseLease } from './with-release-lease.ts';
import type { Work } from '../work.ts';

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
