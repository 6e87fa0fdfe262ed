import type { ReconcileResult } from '../../../controller/controller.ts';
import { claimedDefinitions } from '../../../domain/operator/operator-spec.ts';
import { observeReservation } from '../facts/observe-reservation.ts';
import type { OperatorPorts } from '../ports.ts';
import { rememberReconcile, recallReconcile, recordReads } from './reconcile-cache.ts';
import type { Reads, OperatorCache } from './operator-cache.ts';
import { reconcileOperator, type OperatorMemory } from '../reconcile-operator.ts';
import { hasFinalizer, workOn, type Work } from '../work.ts';

/** Thrown where a look from memory would have to act. */
class MustLookLive extends Error {}

/**
 * Reconciles an Operator from what is watched, without a call. The same steps are taken as always, but nothing can be written: whoever has to
 * do something finds that out here, and does it by what the cluster itself says. So what is in memory may be old and does no harm. Where a look
 * would go by the very same as the one before that found the Operator in step, the steps are not taken again.
 *
 * @returns undefined when something is to be done, or the memory does not know the Operator.
 */
export async function reconcileFromCache(
  memory: OperatorMemory,
  { ports, cache }: { readonly ports: OperatorPorts; readonly cache: OperatorCache },
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ReconcileResult | undefined> {
  const operator = cache.operator(key);
  const isLiving = operator !== undefined && operator.metadata.deletionTimestamp === undefined && hasFinalizer(operator);
  // It may have been in step before its namespace became an Environment's.
  const isSettled = isLiving && observeReservation(ports, operator) === undefined;
  const known = isSettled ? await recallReconcile(memory, { ports, operator, signal }, key) : undefined;
  if (known !== undefined) return known;
  memory.settled.delete(key);
  return isLiving ? await lookInFull(memory, { ports, cache }, { key, work: workOn(ports, operator, signal) }) : undefined;
}

async function lookInFull(
  memory: OperatorMemory,
  { ports, cache }: { readonly ports: OperatorPorts; readonly cache: OperatorCache },
  { key, work }: { readonly key: string; readonly work: Work },
): Promise<ReconcileResult | undefined> {
  const subject = { ...work.release, label: work.label, claims: claimedDefinitions(work.spec) };
  const notes = recordReads(work, (live) => cache.readsFor(subject, live));
  const refusal = { refused: false };
  try {
    const result = await reconcileOperator(memory, {
      ...work,
      ports: { ...lookingOnly(ports, notes.reads, refusal), kubernetesVersion: notes.kubernetesVersion },
    });
    if (refusal.refused) return undefined;
    rememberReconcile(memory, key, { work, notes, result });
    return result;
  } catch (error) {
    if (refusal.refused) return undefined;
    throw error;
  }
}

/** Ports that refuse every act, and take note that one was wanted, in case somebody swallows the refusal. */
function lookingOnly(ports: OperatorPorts, reads: Reads, refusal: { refused: boolean }): OperatorPorts {
  const refuse = async (): Promise<never> => {
    refusal.refused = true;
    throw new MustLookLive('a look from memory does nothing');
  };
  const cluster = { ...refusing(ports.cluster, refuse), ...reads, pages: ports.cluster.pages };
  return { ...ports, cluster, helm: refusing(ports.helm, refuse), events: refusing(ports.events, refuse) };
}

function refusing<T extends object>(port: T, refuse: () => Promise<never>): T {
  return Object.fromEntries(Object.keys(port).map((name) => [name, refuse])) as T;
}
