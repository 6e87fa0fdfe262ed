import type { ReconcileResult } from '../../controller/controller.ts';
import { claimedDefinitions } from '../../domain/operator-spec.ts';
import type { OperatorPorts } from './ports.ts';
import type { Reads, Sight } from './sight.ts';
import { sustain, type OperatorMemory } from './sustain.ts';
import { isGuarded, workOn } from './work.ts';

/** Thrown where a look from memory would have to act. */
class MustLookLive extends Error {}

/**
 * Reconciles an Operator from what is watched, without a call. The same steps are taken as always, but nothing can be written: whoever has to
 * do something finds that out here, and does it by what the cluster itself says. So what is in memory may be old and does no harm.
 *
 * @returns undefined when something is to be done, or the memory does not know the Operator.
 */
export async function lookFromMemory(
  memory: OperatorMemory,
  { ports, sight }: { readonly ports: OperatorPorts; readonly sight: Sight },
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ReconcileResult | undefined> {
  const operator = sight.operator(key);
  if (operator === undefined) return undefined;
  if (operator.metadata.deletionTimestamp !== undefined || !isGuarded(operator)) return undefined;
  const work = workOn(ports, operator, signal);
  const refusal = { refused: false };
  const reads = sight.readsFor({ ...work.release, label: work.label, claims: claimedDefinitions(work.spec) }, ports.cluster);
  try {
    const result = await sustain(memory, { ...work, ports: lookingOnly(ports, reads, refusal) });
    return refusal.refused ? undefined : result;
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
