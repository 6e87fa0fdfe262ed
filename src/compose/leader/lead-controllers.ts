import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type LeaderOptions, runAsLeader, takeWhenExpired } from '../../controller/leader.ts';
import type { ControllerStatus } from '../../domain/kubernetes/controller-status.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Log } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';

export interface LeadInput {
  readonly cluster: LeaderOptions['cluster'];
  /** Of the state folder, which this process has for itself. */
  readonly stateId: string;
  /** Makes the namespace of the Lease. */
  readonly prepare: () => Promise<void>;
  readonly onStatus: (status: ControllerStatus) => void;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'leading'>;
}

/** One process of all that use a cluster runs its controllers, whatever started it. */
const LEASE_NAME = 'chandlery-controller';
/** A leader that dies is replaced within fifteen seconds, one that stops within two. */
const LEASE = { seconds: 12, retrySeconds: 2 };

/** Runs the controllers whenever this process holds their Lease; otherwise it is on standby. */
export async function leadControllers(input: LeadInput, run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { cluster, stateId, prepare, onStatus, log, metrics } = input;
  // An earlier process of the same state folder has ended, or this one would not have the folder.
  const predecessors = `${hostname()}_${stateId}_`;
  const options: LeaderOptions = {
    ...LEASE,
    cluster,
    namespace: OURS.systemNamespace,
    name: LEASE_NAME,
    holder: `${predecessors}${randomUUID()}`,
    prepare,
    decide: (seen) => (seen.holder.startsWith(predecessors) ? 'Take' : takeWhenExpired(seen, LEASE.seconds)),
    onLost: () => {
      metrics.leading('waits');
      onStatus({ kind: 'Waiting' });
      log.warn('The Lease of the controllers is lost; they stop, and wait for it');
    },
    onChange: (leads, { holder }) => {
      metrics.leading(leads);
      onStatus(leads === 'leads' ? { kind: 'Leader' } : { kind: 'Standby', holder });
      log.info(leads === 'leads' ? 'This process runs the controllers' : 'On standby: another process runs the controllers', { holder });
    },
  };
  await runAsLeader(options, run, signal);
}
