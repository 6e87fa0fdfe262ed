import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { LEASE } from '../domain/kubernetes/resource-types.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { numberAt, textAt } from '../domain/core/read.ts';
import type { KubeObject, ResourceRef } from '../domain/kubernetes/resource.ts';
import { systemClock, type Clock } from './clock.ts';

export interface LeaseOptions {
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'replace' | 'delete'>;
  readonly namespace: string;
  readonly name: string;
  /** Who holds it: different for each process. */
  readonly holder: string;
  /** How long it stands without being renewed. Default 15. */
  readonly seconds?: number;
  /** Annotations of the lease while this holder has it. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The time of day, which is compared with what other holders wrote. */
  readonly now?: () => Date;
  readonly clock?: Clock;
  /** Instead of comparing times of day: the resource version that may be taken over, because it stood for its whole time; empty where there is no lease. */
  readonly seen?: string;
  /** `Rare`: there is mostly no lease, so it is created without looking for one first. Default: it is looked for. */
  readonly contention?: 'Rare';
  /** Told when the lease is lost while something runs under it. */
  readonly onLost?: () => void;
}

export type LeaseState = 'Free' | 'Held' | 'Expired';

/** Whether somebody holds the lease: an expired one belonged to a worker that died. */
export async function leaseState(options: Omit<LeaseOptions, 'holder'>): Promise<LeaseState> {
  const lease = await readLease(options);
  return lease === undefined ? 'Free' : stateOf(lease, (options.now ?? today)());
}

/**
 * Runs something while holding the lease, and renews it all the time. What runs gets a signal that aborts when the lease is lost or the
 * given signal aborts. The lease is given back at the end, whatever happens.
 *
 * @throws AppError `Conflict` when somebody else holds it.
 */
export async function withLease<T>(options: LeaseOptions, run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  const keeper = keepRenewed(options, await acquire(options));
  try {
    return await run(AbortSignal.any([signal, keeper.lost]));
  } finally {
    await release(options, await keeper.stop());
  }
}

interface Keeper {
  /** Aborts when somebody else may hold the lease. */
  readonly lost: AbortSignal;
  /** Renews no more; the lease as it was last seen. */
  stop(): Promise<KubeObject>;
}

/** Renews at a third of its time. A cluster that does not answer is asked again every second until the lease is about to expire. */
function keepRenewed(options: LeaseOptions, acquired: KubeObject): Keeper {
  const { clock = systemClock } = options;
  const period = secondsOf(options) * 1_000;
  const lost = new AbortController();
  let state = { lease: acquired, at: clock.now(), ended: false };
  let renewal = Promise.resolve();
  let cancel = (): void => undefined;
  const attempt = async (): Promise<void> => {
    const at = clock.now();
    try {
      const lease = await renew(options, state.lease);
      state = { ...state, lease, at };
      later(period / 3);
    } catch (error) {
      const over = isAppError(error, 'Conflict', 'NotFound') || clock.now() - state.at > (period * 2) / 3;
      if (over) {
        lost.abort(error);
        options.onLost?.();
      }
      later(1_000);
    }
  };
  const later = (milliseconds: number): void => {
    if (state.ended || lost.signal.aborted) return;
    cancel = clock.after(milliseconds, () => {
      renewal = attempt();
    });
  };
  const stop = async (): Promise<KubeObject> => {
    state = { ...state, ended: true };
    cancel();
    await renewal;
    return state.lease;
  };
  later(period / 3);
  return { lost: lost.signal, stop };
}

/** @throws AppError `Conflict` when somebody else holds it. */
async function acquire(options: LeaseOptions): Promise<KubeObject> {
  const { cluster, holder, now = today } = options;
  const created = options.contention === 'Rare' ? await createLease(options) : undefined;
  if (created !== undefined) return created;
  const before = await readLease(options);
  try {
    if (before === undefined) return (await cluster.create(LEASE, leaseObject(options, undefined))).object;
    const isFree = options.seen === undefined ? stateOf(before, now()) !== 'Held' : before.metadata.resourceVersion === options.seen;
    if (isFree || holderOf(before) === holder) {
      return (await cluster.replace(LEASE, leaseObject(options, before))).object;
    }
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists', 'Conflict')) throw error;
  }
  throw new AppError('Conflict', `lease "${options.name}": ${before === undefined ? 'another worker' : holderOf(before)} holds it`);
}

/** The lease, if there was none. */
async function createLease(options: LeaseOptions): Promise<KubeObject | undefined> {
  try {
    return (await options.cluster.create(LEASE, leaseObject(options, undefined))).object;
  } catch (error) {
    if (isAppError(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

/** @throws AppError when it could not be renewed; somebody else may have it then. */
async function renew(options: LeaseOptions, lease: KubeObject): Promise<KubeObject> {
  return (await options.cluster.replace(LEASE, leaseObject(options, lease))).object;
}

/** Deletes the lease if it is still ours. A failure is no harm: it expires. */
async function release({ cluster, holder, ...options }: LeaseOptions, lease: KubeObject): Promise<void> {
  const { uid = '', resourceVersion = '' } = lease.metadata;
  try {
    await cluster.delete(refOf(options), { uid, resourceVersion });
    return;
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code !== 'Conflict') return;
  }
  // A renewal may have come through whose answer did not.
  try {
    const live = await cluster.get(refOf(options));
    if (holderOf(live) === holder && live.metadata.uid === lease.metadata.uid) {
      await cluster.delete(refOf(options), live.metadata.uid === undefined ? {} : { uid: live.metadata.uid });
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

/** The lease as it is now; undefined where there is none. */
export async function readLease(options: Pick<LeaseOptions, 'cluster' | 'namespace' | 'name'>): Promise<KubeObject | undefined> {
  return await ifFound(options.cluster.get(refOf(options)));
}

function leaseObject(options: LeaseOptions, before: KubeObject | undefined): KubeObject {
  const { namespace, name, holder, annotations, now = today } = options;
  const at = now().toISOString().replace('Z', '000Z');
  const kept = before !== undefined && holderOf(before) === holder;
  const transitions = (numberAt(before, 'spec', 'leaseTransitions') ?? 0) + (kept || before === undefined ? 0 : 1);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace,
      name,
      ...(annotations === undefined ? {} : { annotations }),
      ...(before?.metadata.resourceVersion === undefined ? {} : { resourceVersion: before.metadata.resourceVersion }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: secondsOf(options),
      acquireTime: (kept ? textAt(before, 'spec', 'acquireTime') : undefined) ?? at,
      renewTime: at,
      leaseTransitions: transitions,
    },
  };
}

function stateOf(lease: KubeObject, now: Date): LeaseState {
  if (holderOf(lease) === '') return 'Free';
  const renewed = Date.parse(textAt(lease, 'spec', 'renewTime') ?? '');
  const until = renewed + (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1_000;
  return until > now.getTime() ? 'Held' : 'Expired';
}

function holderOf(lease: KubeObject): string {
  return textAt(lease, 'spec', 'holderIdentity') ?? '';
}

function secondsOf({ seconds = 15 }: Pick<LeaseOptions, 'seconds'>): number {
  return seconds;
}

function refOf({ namespace, name }: Pick<LeaseOptions, 'namespace' | 'name'>): ResourceRef {
  return { ...LEASE, namespace, name };
}

function today(): Date {
  return new Date();
}
