import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Clusters } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { isDnsLabel } from '../../domain/kubernetes/names.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/**
 * An Environment, read as the actor.
 *
 * @throws AppError `NotFound`, in the same words whether it does not exist or the actor may not see it.
 */
export async function findEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  const actors = underWay.get(clusters) ?? new WeakMap<Actor, Map<string, Promise<EnvironmentView>>>();
  underWay.set(clusters, actors);
  const readings = actors.get(actor) ?? new Map<string, Promise<EnvironmentView>>();
  actors.set(actor, readings);
  const reading = readings.get(name) ?? readEnvironment(clusters, actor, name).finally(() => readings.delete(name));
  readings.set(name, reading);
  return await reading;
}

/** The parts of a page ask for the same environment at once, and one answer serves all of them. The actor is that of one request. */
const underWay = new WeakMap<Clusters, WeakMap<Actor, Map<string, Promise<EnvironmentView>>>>();

async function readEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  const missing = new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
  if (!isDnsLabel(name)) throw missing;
  try {
    return environmentView(await clusters.asActor(actor).get({ ...ENVIRONMENT, name }));
  } catch (error) {
    throw isAppError(error, 'NotFound', 'Forbidden') ? missing : error;
  }
}

/** An Environment as people see it. */
function environmentView(object: KubeObject): EnvironmentView {
  const { name } = object.metadata;
  const { displayName = name, namespace = name, tier, groups, subjects, overlay } = specOf(ENVIRONMENT_KIND, object);
  const { conditions } = statusOf(ENVIRONMENT_KIND, object);
  const ready = findCondition(conditions, 'Ready');
  return {
    name,
    displayName,
    namespace,
    tier,
    groups,
    subjects,
    overlay,
    ready: ready?.status === 'True',
    message: ready?.status === 'True' ? '' : ready?.message || 'The namespace is being created',
    conditions,
  };
}
