import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS, parseObjectName } from '../../domain/kubernetes/names.ts';
import { JOB } from '../../domain/kubernetes/resource-types.ts';
import { jobFrom, jobNameFor, resourceKey } from '../../domain/resource/resource-actions.ts';
import { actOnResource, type ActionPorts, type ActionResult, type ResourceActionInput } from './act-on-resource.ts';

export interface RunInput extends ResourceActionInput {
  /** The name of the Job; empty: one after the CronJob and the time. */
  readonly job?: string;
  /** RFC 3339. */
  readonly at: string;
}

/**
 * Creates a Job from the template of a CronJob now, as `kubectl create job --from` does. The result names the Job.
 *
 * @throws AppError as `actOnResource`; `AlreadyExists` for a name that is taken.
 */
export async function runCronJob(ports: ActionPorts, actor: Actor, input: RunInput): Promise<ActionResult> {
  const wanted = input.job ?? '';
  const named = wanted === '' ? '' : parseObjectName(wanted, 'name');
  return await actOnResource(ports, actor, {
    action: 'run',
    input,
    write: async ({ object }) => {
      const name = named === '' ? jobNameFor(object, input.at) : named;
      const cluster = ports.clusters.asActor(actor);
      const { warnings } = await cluster.create(JOB, jobFrom(object, name), { fieldManager: OURS.userFieldManager });
      return { resource: resourceKey(JOB), name, message: `The Job ${JSON.stringify(name)} is created.`, warnings };
    },
  });
}
