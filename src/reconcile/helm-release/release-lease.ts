import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { LEASE } from '../../domain/kubernetes/resource-types.ts';
import { type LeaseOptions, leaseState, withLease } from '../../controller/lease.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { memoizeFor } from '../memoize-for.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { ReleaseRef } from './ports.ts';

const LEASE_SECONDS = 15;

/** A release, and the resource that it is made for. */
export interface LeasedRelease {
  readonly ports: {
    /** As the controller's own account. */
    readonly cluster: Pick<Cluster, 'get' | 'listMetadata' | 'create' | 'replace' | 'delete'>;
    readonly now: () => Date;
    /** Who holds the leases of this process; different for each process. */
    readonly holder: string;
    /** Told when the lease of a release is lost while the release is changed. */
    readonly leaseLost?: () => void;
  };
  readonly release: ReleaseRef;
  readonly type: ResourceType;
  /** The resource as it was read. */
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

/**
 * Changes a release while holding its lease, so that no two workers change it at once and a dead worker is noticed when its lease has expired. The
 * resource is read again under the lease: a worker that was held up must not carry out what was wanted before.
 *
 * @returns `Busy` when somebody else holds the lease, or the resource has moved on; then nothing ran.
 */
export async function withLeaseOf(leased: LeasedRelease, change: (signal: AbortSignal) => Promise<void>): Promise<'Done' | 'Busy'> {
  let began = false;
  const run = async (held: AbortSignal): Promise<void> => {
    if (await hasMovedOn(leased, held)) return;
    began = true;
    await change(held);
  };
  try {
    await withLease(leaseOf(leased), run, leased.signal);
    return began ? 'Done' : 'Busy';
  } catch (error) {
    if (!began && isAppError(error, 'Conflict')) return 'Busy';
    throw error;
  }
}

/** Whether the lease of the release is there, though we do not hold it on purpose: the cluster did not answer when it was given back. */
export async function isLeaseLeft(leased: LeasedRelease): Promise<boolean> {
  return (await leaseState(leaseOf(leased))) !== 'Free';
}

/** What is known of the leases of releases, so that many resources cost one question when a controller starts. */
export interface LeaseMemory {
  /** The uids of resources whose release nobody who died holds. */
  readonly free: Set<string>;
  /** The names of the leases that there were a few seconds ago. */
  readonly names: (leased: LeasedRelease) => Promise<ReadonlySet<string>>;
}

/** Leases are listed at most this often. */
const LISTED_MS = 10_000;

export function createLeaseMemory(): LeaseMemory {
  const remember = memoizeFor<ReadonlySet<string>>(LISTED_MS);
  const names = async (leased: LeasedRelease): Promise<ReadonlySet<string>> =>
    await remember(leased.ports.now().getTime(), async () => await leaseNames(leased));
  return { free: new Set(), names };
}

async function leaseNames({ ports, signal }: LeasedRelease): Promise<ReadonlySet<string>> {
  const { items } = await ports.cluster.listMetadata(LEASE, { namespace: OURS.systemNamespace, signal });
  return new Set(items.map(({ metadata }) => metadata.name));
}

/**
 * Takes away the lease that a worker left when it died after it had changed the release; asked once a resource, when there is nothing to change.
 *
 * @returns `Held` while it may still be renewed: look again later.
 */
export async function clearLeaseOf(memory: LeaseMemory, leased: LeasedRelease): Promise<'Free' | 'Held'> {
  const key = leased.object.metadata.uid ?? '';
  if (memory.free.has(key)) return 'Free';
  const lease = leaseOf(leased);
  const state = (await memory.names(leased)).has(lease.name) ? await leaseState(lease) : 'Free';
  // Whoever takes an expired lease deletes it in the end.
  const held = state === 'Held' || (state === 'Expired' && (await withLeaseOf(leased, () => Promise.resolve())) === 'Busy');
  if (!held) memory.free.add(key);
  return held ? 'Held' : 'Free';
}

function leaseOf({ ports, release }: LeasedRelease): LeaseOptions {
  const { cluster, holder, now, leaseLost } = ports;
  const name = `release.${release.namespace}.${release.release}`;
  const onLost = leaseLost === undefined ? {} : { onLost: leaseLost };
  return { cluster, namespace: OURS.systemNamespace, name, holder, seconds: LEASE_SECONDS, contention: 'Rare', now, ...onLost };
}

/** Whether the resource is gone, is another one of that name, is being deleted, or has a new spec since it was read. */
async function hasMovedOn({ ports, type, object }: LeasedRelease, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid, generation, deletionTimestamp } = object.metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = (await ifFound(ports.cluster.get(ref, { signal })))?.metadata;
  return live?.uid !== uid || live?.generation !== generation || live?.deletionTimestamp !== deletionTimestamp;
}
