import {
  API_SERVICE,
  DAEMON_SET,
  DEPLOYMENT,
  MUTATING_WEBHOOK_CONFIGURATION,
  STATEFUL_SET,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../domain/kubernetes/resource-types.ts';
import type { Kube } from '../kube/kube.ts';
import { type Reflector, startReflector, waitForLists } from '../kube/watch/reflector.ts';
import type { Log } from '../observe/log.ts';
import { ROLES, SLICES, watchOfCallers, watchOfWorkloads, type Watch } from '../reconcile/operator/memory/watched-types.ts';
import { createOperatorCache, type OperatorCache } from '../reconcile/operator/memory/operator-cache.ts';

export interface WatchOperatorsInput {
  readonly kube: Pick<Kube, 'asController'>;
  readonly operators: Reflector;
  /** All CustomResourceDefinitions. */
  readonly definitions: Reflector;
  /** The records of all releases, as `watchRecords` watches them. */
  readonly records: Reflector;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface WatchedOperators {
  readonly cache: OperatorCache;
  /** Resolves when everything has been listed, or after half a minute: what is not watched by then is asked for. */
  ready(): Promise<void>;
}

/** Watches what Operators bring, as the controller's own account. */
export function watchOperators({ kube, operators, definitions, records, log, signal }: WatchOperatorsInput): WatchedOperators {
  const cluster = kube.asController();
  const start = (watch: Watch): Reflector => startReflector({ ...watch, cluster, log, signal });
  const roles = start(ROLES);
  const workloads = {
    deployments: start(watchOfWorkloads(DEPLOYMENT)),
    statefulsets: start(watchOfWorkloads(STATEFUL_SET)),
    daemonsets: start(watchOfWorkloads(DAEMON_SET)),
  };
  const callers = {
    validatingwebhookconfigurations: start(watchOfCallers(VALIDATING_WEBHOOK_CONFIGURATION)),
    mutatingwebhookconfigurations: start(watchOfCallers(MUTATING_WEBHOOK_CONFIGURATION)),
    apiservices: start(watchOfCallers(API_SERVICE)),
  };
  const slices = start(SLICES);
  const all = [operators, definitions, records, roles, slices, ...Object.values(workloads), ...Object.values(callers)];
  return {
    cache: createOperatorCache({ operators, definitions, records, roles, workloads, callers, slices }),
    ready: async () => await waitForLists(all, signal),
  };
}
