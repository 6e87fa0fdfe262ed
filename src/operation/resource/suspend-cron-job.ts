import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { actOnResource, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';

export interface SuspendInput extends ResourceActionInput {
  readonly suspend: boolean;
}

/** Suspends or resumes a CronJob. @throws AppError as `actOnResource`. */
export async function suspendCronJob(ports: ActionPorts, actor: Actor, input: SuspendInput): Promise<ActionResult> {
  const { suspend } = input;
  return await actOnResource(ports, actor, {
    action: suspend ? 'suspend' : 'resume',
    input,
    write: async ({ ref, kind }, only) => {
      const patch = { type: 'merge', body: { metadata: only, spec: { suspend } } } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
      const message = `The CronJob ${JSON.stringify(ref.name)} is ${suspend ? 'suspended' : 'resumed'}.`;
      return { resource: resourceKey(kind), name: ref.name, message, warnings };
    },
  });
}
