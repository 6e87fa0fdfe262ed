import { AppError } from '../../domain/core/errors.ts';
import { booleanAt, objectAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { resourceKey, restartPatch } from '../../domain/resource/resource-actions.ts';
import { actOnResource, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';

export interface RestartInput extends ResourceActionInput {
  /** RFC 3339: when the restart was asked for. */
  readonly at: string;
}

/**
 * Restarts a Deployment, StatefulSet or DaemonSet as `kubectl rollout restart` does, by an annotation of its pod template.
 *
 * @throws AppError as `actOnResource`; `Conflict` for a Deployment whose rollout is paused.
 */
export async function restartWorkload(ports: ActionPorts, actor: Actor, input: RestartInput): Promise<ActionResult> {
  return await actOnResource(ports, actor, {
    action: 'restart',
    input,
    write: async ({ ref, kind, object }, only) => {
      const what = `${kind.kind} ${JSON.stringify(ref.name)}`;
      if (booleanAt(object.spec, 'paused') === true)
        throw new AppError('Conflict', `restart ${what}: its rollout is paused; resume it first`);
      const patch = { type: 'merge', body: { ...objectAt(restartPatch(input.at)), metadata: only } } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
      return { resource: resourceKey(kind), name: ref.name, message: `${what} restarts its pods.`, warnings };
    },
  });
}
