import { withLease } from '../../controller/lease.ts';
import { isAppError } from '../../domain/errors.ts';
import { OURS } from '../../domain/names.ts';
import type { Work } from './work.ts';

const LEASE_SECONDS = 15;

/**
 * Changes a release while holding its lease, so that no two workers change it at once and a dead worker is noticed when its lease has expired.
 *
 * @returns `Busy` when somebody else holds the lease; then nothing ran.
 */
export async function holdRelease(work: Work, change: (signal: AbortSignal) => Promise<void>): Promise<'Done' | 'Busy'> {
  const { ports, release, signal } = work;
  const lease = {
    cluster: ports.cluster,
    namespace: OURS.systemNamespace,
    name: `release.${release.namespace}.${release.release}`,
    holder: ports.holder,
    seconds: LEASE_SECONDS,
    now: ports.now,
  };
  let began = false;
  const run = (held: AbortSignal): Promise<void> => {
    began = true;
    return change(held);
  };
  try {
    await withLease(lease, run, signal);
    return 'Done';
  } catch (error) {
    if (!began && isAppError(error, 'Conflict')) return 'Busy';
    throw error;
  }
}
