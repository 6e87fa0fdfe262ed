import type { Actor } from '../../domain/kubernetes/actor.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { actOnResource, checkAction, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';
import { findResource } from './find-resource.ts';

export interface EvictInput extends ResourceActionInput {
  /** `All`: only find out whether disruption budgets allow it. */
  readonly dryRun?: 'All';
}

/**
 * Deletes a pod by the eviction API, so that PodDisruptionBudgets hold.
 *
 * @throws AppError as `actOnResource`; `DisruptionBudget` when a budget does not allow it now.
 */
export async function evictPod(ports: ActionPorts, actor: Actor, { dryRun, ...input }: EvictInput): Promise<ActionResult> {
  const cluster = ports.clusters.asActor(actor);
  if (dryRun !== undefined) {
    const found = await findResource(ports, actor, input);
    await checkAction(ports, actor, { action: 'evict', found });
    await cluster.evict(found.ref, { dryRun });
    return { resource: resourceKey(found.kind), name: found.ref.name, message: 'The eviction is possible now.', warnings: [] };
  }
  return await actOnResource(ports, actor, {
    action: 'evict',
    input,
    write: async ({ ref, kind }, { uid }) => {
      await cluster.evict(ref, uid === undefined ? {} : { uid });
      return { resource: resourceKey(kind), name: ref.name, message: `The pod ${JSON.stringify(ref.name)} is evicted.`, warnings: [] };
    },
  });
}
