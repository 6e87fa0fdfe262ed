import { withLease } from '../../controller/lease.ts';
import { isAppError } from '../../domain/errors.ts';
import { OURS } from '../../domain/names.ts';
import { findObject } from '../find-object.ts';
import { OPERATOR } from './kinds.ts';
import type { Work } from './work.ts';

const LEASE_SECONDS = 15;

/**
 * Changes a release while holding its lease, so that no two workers change it at once and a dead worker is noticed when its lease has expired. The
 * Operator is read again under the lease: a worker that was held up must not carry out what was wanted before.
 *
 * @returns `Busy` when somebody else holds the lease, or the Operator has moved on; then nothing ran.
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
  const run = async (held: AbortSignal): Promise<void> => {
    if (await hasMovedOn(work, held)) return;
    began = true;
    await change(held);
  };
  try {
    await withLease(lease, run, signal);
    return began ? 'Done' : 'Busy';
  } catch (error) {
    if (!began && isAppError(error, 'Conflict')) return 'Busy';
    throw error;
  }
}

/** Whether the Operator is gone, is another one of that name, is being deleted, or has a new spec since it was read. */
async function hasMovedOn({ ports, operator }: Work, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid, generation, deletionTimestamp } = operator.metadata;
  const ref = { ...OPERATOR, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = (await findObject(ports.cluster, ref, signal))?.metadata;
  return live?.uid !== uid || live?.generation !== generation || live?.deletionTimestamp !== deletionTimestamp;
}
