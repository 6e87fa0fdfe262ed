import { AppError } from '../../domain/core/errors.ts';
import { numberAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { etagOf } from '../../domain/kubernetes/etag.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { hasAction, resourceKey } from '../../domain/resource/resource-actions.ts';
import { actOnResource, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';
import { findResource, type ResourceAddress } from './find-resource.ts';

export interface ScaleInput extends ResourceActionInput {
  readonly replicas: number;
}

/** The scale subresource: how many replicas there should be. */
export interface ScaleView {
  readonly replicas: number;
  /** Of the resource, as the `ETag` header. */
  readonly etag: string;
}

/**
 * Reads the scale subresource as the actor.
 *
 * @throws AppError as `findResource`; `InvalidInput` for a kind that does not serve it.
 */
export async function showScale(ports: ActionPorts, actor: Actor, address: ResourceAddress): Promise<ScaleView> {
  const { kind, ref, object } = await findResource(ports, actor, address);
  if (!hasAction(kind, 'scale')) throw new AppError('InvalidInput', `scale: ${resourceKey(kind)} cannot do that`);
  const { spec } = await ports.clusters.asActor(actor).get(ref, { subresource: 'scale' });
  return { replicas: numberAt(spec, 'replicas') ?? 0, etag: etagOf(object) };
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
