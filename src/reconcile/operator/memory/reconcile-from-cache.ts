import type { ReconcileResult } from '../../../controller/controller.ts';
import { claimedDefinitions } from '../../../domain/operator/operator-spec.ts';
import type { OperatorPorts } from '../ports.ts';
import { reconcileOperator, type OperatorMemory } from '../reconcile-operator.ts';
import { hasFinalizer, workOn } from '../work.ts';
import type { OperatorCache, Reads } from './operator-cache.ts';

/** Thrown by every port that changes something, or reports it. */
class ActionNeeded extends Error {}

/**
 * Reconciles an Operator by the watch caches, without a call. Helm is no optimistic writer: it does not fail on a stale read, it installs again. So
 * no action starts from a cache. The same steps run with ports that read and cannot write; whatever has to be done is done by a live reconciliation.
 *
 * @returns undefined when an action is needed, or when the caches do not hold the Operator.
 */
export async function reconcileFromCache(
  memory: OperatorMemory,
  { ports, cache }: { readonly ports: OperatorPorts; readonly cache: OperatorCache },
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ReconcileResult | undefined> {
  const operator = cache.operator(key);
  if (operator === undefined || operator.metadata.deletionTimestamp !== undefined || !hasFinalizer(operator)) return undefined;
  const work = workOn(ports, operator, signal);
  const reads = cache.readsFor({ ...work.release, label: work.label, claims: claimedDefinitions(work.spec) }, ports.cluster);
  const action = { needed: false };
  try {
    const result = await reconcileOperator(memory, { ...work, ports: readOnly(ports, reads, action) });
    return action.needed ? undefined : result;
  } catch (error) {
    if (action.needed) return undefined;
    throw error;
  }
}

/** @param action notes that a write was wanted, should a step swallow the error. */
function readOnly({ watchedCrd: _watched, ...ports }: OperatorPorts, reads: Reads, action: { needed: boolean }): OperatorPorts {
  const reject = async (): Promise<never> => {
    action.needed = true;
    throw new ActionNeeded('a reconciliation from the cache does not write');
  };
  const rejecting = <T extends object>(port: T): T => Object.fromEntries(Object.keys(port).map((name) => [name, reject])) as T;
  const cluster = { ...rejecting(ports.cluster), ...reads, pages: ports.cluster.pages };
  return { ...ports, cluster, renderChart: reject, helm: rejecting(ports.helm), events: rejecting(ports.events) };
}
