import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { LEASE, OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import { type LeaseOptions, leaseState, withLease } from '../../../controller/lease.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { memoizeFor } from '../memory/memoize-for.ts';
import type { Work } from '../work.ts';

const LEASE_SECONDS = 15;

/**
 * Changes a release while holding its lease, so that no two workers change it at once and a dead worker is noticed when its lease has expired. The
 * Operator is read again under the lease: a worker that was held up must not carry out what was wanted before.
 *
 * @returns `Busy` when somebody else holds the lease, or the Operator has moved on; then nothing ran.
 */
export async function withReleaseLease(work: Work, change: (signal: AbortSignal) => Promise<void>): Promise<'Done' | 'Busy'> {
  let began = false;
  const run = async (held: AbortSignal): Promise<void> => {
    if (await hasMovedOn(work, held)) return;
    began = true;
    await change(held);
  };
  try {
    await withLease(leaseOf(work), run, work.signal);
    return began ? 'Done' : 'Busy';
  } catch (error) {
    if (!began && isAppError(error, 'Conflict')) return 'Busy';
    throw error;
  }
}

/** Whether the lease of the release is there, though we do not hold it on purpose: the cluster did not answer when it was given back. */
export async function isLeaseLeft(work: Work): Promise<boolean> {
  return (await leaseState(leaseOf(work))) !== 'Free';
}

/** What is known of the leases of releases, so that many Operators cost one question when a controller starts. */
export interface LeaseMemory {
  /** The uids of Operators whose release nobody who died holds. */
  readonly free: Set<string>;
  /** The names of the leases that there were a few seconds ago. */
  readonly names: (work: Work) => Promise<ReadonlySet<string>>;
}

/** Leases are listed at most this often. */
const LISTED_MS = 10_000;

export function createLeaseMemory(): LeaseMemory {
  const remember = memoizeFor<ReadonlySet<string>>(LISTED_MS);
  const names = async (work: Work): Promise<ReadonlySet<string>> =>
    await remember(work.ports.now().getTime(), async () => await leaseNames(work));
  return { free: new Set(), names };
}

async function leaseNames({ ports, signal }: Work): Promise<ReadonlySet<string>> {
  const { items } = await ports.cluster.listMetadata(LEASE, { namespace: OURS.systemNamespace, signal });
  return new Set(items.map(({ metadata }) => metadata.name));
}

/**
 * Takes away the lease that a worker left when it died after it had changed the release; asked once an Operator, when there is nothing to change.
 *
 * @returns `Held` while it may still be renewed: look again later.
 */
export async function clearLease(memory: LeaseMemory, work: Work): Promise<'Free' | 'Held'> {
  const key = work.operator.metadata.uid ?? '';
  if (memory.free.has(key)) return 'Free';
  const lease = leaseOf(work);
  const state = (await memory.names(work)).has(lease.name) ? await leaseState(lease) : 'Free';
  // Whoever takes an expired lease deletes it in the end.
  const held = state === 'Held' || (state === 'Expired' && (await withReleaseLease(work, () => Promise.resolve())) === 'Busy');
  if (!held) memory.free.add(key);
  return held ? 'Held' : 'Free';
}

function leaseOf({ ports, release }: Work): LeaseOptions {
  const { cluster, holder, now, leaseLost } = ports;
  const name = `release.${release.namespace}.${release.release}`;
  const onLost = leaseLost === undefined ? {} : { onLost: leaseLost };
  return { cluster, namespace: OURS.systemNamespace, name, holder, seconds: LEASE_SECONDS, now, ...onLost };
}

/** Whether the Operator is gone, is another one of that name, is being deleted, or has a new spec since it was read. */
async function hasMovedOn({ ports, operator }: Work, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid, generation, deletionTimestamp } = operator.metadata;
  const ref = { ...OPERATOR, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = (await ifFound(ports.cluster.get(ref, { signal })))?.metadata;
  return live?.uid !== uid || live?.generation !== generation || live?.deletionTimestamp !== deletionTimestamp;
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
