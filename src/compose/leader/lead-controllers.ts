import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type LeaderOptions, runAsLeader, type SeenLease } from '../../controller/leader.ts';
import { conflictOf, type ControllerStatus } from '../../domain/kubernetes/controller-status.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Log } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { createTakeover } from './decide-takeover.ts';
import type { Installation } from './installation.ts';

export interface LeadInput {
  readonly cluster: LeaderOptions['cluster'];
  readonly installation: Installation;
  /** Whether this process replaces another installation. */
  readonly takeOver: 'Never' | 'Once';
  /** Of the state folder, which this process has for itself. */
  readonly stateId: string;
  /** Makes the namespace of the Lease. */
  readonly prepare: () => Promise<void>;
  readonly onStatus: (status: ControllerStatus) => void;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'leading'>;
}

/** One process of all that use a cluster runs its controllers, whatever started it. */
export const LEASE_NAME = 'chandlery-controller';
/** A leader that dies is replaced within fifteen seconds, one that stops within two. */
const LEASE = { seconds: 12, retrySeconds: 2 };

/** Runs the controllers whenever this process holds their Lease; otherwise it is on standby. */
export async function leadControllers(input: LeadInput, run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { cluster, installation, takeOver, stateId, prepare, onStatus, log, metrics } = input;
  const predecessors = `${hostname()}_${stateId}_`;
  const takeover = createTakeover({ installation, predecessors, seconds: LEASE.seconds, takeOver });
  const standBy = ({ holder, resourceVersion }: SeenLease): void => {
    const managing = takeover.other();
    const installations = managing === undefined ? undefined : { managing, own: installation.name };
    onStatus({ kind: 'Standby', holder, ...(installations === undefined ? {} : { installations }) });
    if (resourceVersion === '')
      log.info('The other installation has stopped; this one takes over in two minutes unless it returns', { managing });
    else if (installations === undefined) log.info('On standby: another process runs the controllers', { holder });
    else log.warn(`On standby: ${conflictOf(installations)}`, { holder });
  };
  const options: LeaderOptions = {
    ...LEASE,
    cluster,
    namespace: OURS.systemNamespace,
    name: LEASE_NAME,
    holder: `${predecessors}${randomUUID()}`,
    annotations: { [OURS.installation]: installation.name, [OURS.installationId]: installation.id },
    prepare,
    decide: takeover.decide,
    onLost: () => {
      metrics.leading('waits');
      onStatus({ kind: 'Waiting' });
      log.warn('The Lease of the controllers is lost; they stop, and wait for it');
    },
    onChange: (leads, seen) => {
      metrics.leading(leads);
      if (leads === 'waits') return standBy(seen);
      takeover.led();
      onStatus({ kind: 'Leader' });
      log.info('This process runs the controllers', { holder: seen.holder });
    },
  };
  await runAsLeader(options, run, signal);
}
