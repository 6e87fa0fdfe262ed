import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { AppSummary, InstancePermissions } from '../../domain/app/app.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

/** What the actor may do with the instances of an App that are in an environment. */
export async function instancePermissions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  input: { readonly environment: string; readonly app: string },
): Promise<ChangePermissions> {
  const { summary } = findApp(ports, actor, input.app);
  const { namespace } = await findEnvironment(ports.clusters, actor, input.environment);
  return await mayChange(ports, actor, { app: summary, namespace });
}

type ChangePermissions = Omit<InstancePermissions, 'create'>;

interface Place {
  readonly app: AppSummary;
  readonly namespace: string;
}

/** Everything that somebody can have the permission for, in a namespace that is known already. */
export async function permissionsIn(ports: Pick<Ports, 'clusters'>, actor: Actor, place: Place): Promise<InstancePermissions> {
  const [create, change] = await Promise.all([may(ports, actor, { ...place, verb: 'create' }), mayChange(ports, actor, place)]);
  return { create, ...change };
}

async function mayChange(ports: Pick<Ports, 'clusters'>, actor: Actor, place: Place): Promise<ChangePermissions> {
  const verbs = ['update', 'delete'].map(async (verb) => await may(ports, actor, { ...place, verb }));
  const [update = false, remove = false] = await Promise.all(verbs);
  return { update, delete: remove };
}

async function may(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { app, namespace, verb }: Place & { readonly verb: string },
): Promise<boolean> {
  return (await clusters.asActor(actor).review({ verb, group: app.group, resource: app.plural, namespace })).allowed;
}
