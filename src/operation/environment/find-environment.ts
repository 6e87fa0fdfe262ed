import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Clusters } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { ENVIRONMENT_ROLES, type EnvironmentRole, type EnvironmentView } from '../../domain/environment/environment.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { conditionsOf } from '../../domain/health/rules/conditions.ts';
import { isDnsLabel, OURS } from '../../domain/kubernetes/names.ts';
import { listAt, objectAt, textAt, textsAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';

/** The resource type of Environments. */
const ENVIRONMENTS = { group: OURS.group, version: OURS.version, resource: 'environments' } as const;

/**
 * An Environment, read as the actor.
 *
 * @throws AppError `NotFound`, in the same words whether it does not exist or the actor may not see it.
 */
export async function findEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  const missing = new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
  if (!isDnsLabel(name)) throw missing;
  try {
    return environmentView(await clusters.asActor(actor).get({ ...ENVIRONMENTS, name }));
  } catch (error) {
    throw isAppError(error, 'NotFound', 'Forbidden') ? missing : error;
  }
}

/** An Environment as people see it. */
function environmentView(object: KubeObject): EnvironmentView {
  const ready = findCondition(conditionsOf(object), 'Ready');
  const { name } = object.metadata;
  return {
    name,
    displayName: textAt(object.spec, 'displayName') ?? name,
    namespace: textAt(object.spec, 'namespace') ?? name,
    tier: textAt(object.spec, 'tier') ?? 'development',
    groups: listAt(object.spec, 'groups').flatMap((group) => {
      const role = roleOf(textAt(group, 'role'));
      return role === undefined ? [] : [{ name: textAt(group, 'name') ?? '', role }];
    }),
    overlay: listAt(object.spec, 'overlay').map((item) => ({
      app: textAt(item, 'app') ?? '',
      values: objectAt(item, 'values') as JsonObject,
      locked: textsAt(item, 'locked'),
    })),
    ready: ready?.status === 'True',
    message: ready?.status === 'True' ? '' : ready?.message || 'It is being set up',
  };
}

function roleOf(text: string | undefined): EnvironmentRole | undefined {
  return ENVIRONMENT_ROLES.find((role) => role === text);
}
