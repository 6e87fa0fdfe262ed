import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { actOnResource, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';

export interface ScaleInput extends ResourceActionInput {
  readonly replicas: number;
}

export const MOST_REPLICAS = 10_000;

/**
 * Sets the number of replicas by the scale subresource, of whatever kind serves it.
 *
 * @throws AppError as `actOnResource`; `InvalidInput` for what is no number of replicas.
 */
export async function scaleResource(ports: ActionPorts, actor: Actor, input: ScaleInput): Promise<ActionResult> {
  const { replicas } = input;
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MOST_REPLICAS) {
    const message = `Enter a whole number from 0 to ${MOST_REPLICAS}`;
    throw new AppError('InvalidInput', `scale: ${message}`, { faults: [{ field: 'replicas', message }] });
  }
  return await actOnResource(ports, actor, {
    action: 'scale',
    input,
    write: async ({ ref, kind }, only) => {
      const patch = { type: 'merge', body: { metadata: only, spec: { replicas } } } as const;
      const options = { subresource: 'scale', fieldManager: OURS.userFieldManager } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, options);
      const count = replicas === 1 ? '1 replica' : `${replicas} replicas`;
      return {
        resource: resourceKey(kind),
        name: ref.name,
        message: `${kind.kind} ${JSON.stringify(ref.name)} scales to ${count}.`,
        warnings,
      };
    },
  });
}
