import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { AppSummary, InstancePermissions } from '../../domain/app/app.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

/** What the actor may do with instances of an App in an environment. */
export async function instancePermissions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  input: { readonly environment: string; readonly app: string },
): Promise<InstancePermissions> {
  const { summary } = findApp(ports, actor, input.app);
  const { namespace } = await findEnvironment(ports.clusters, actor, input.environment);
  return await permissionsIn(ports, actor, { app: summary, namespace });
}

/** The same for a namespace that is known already. */
export async function permissionsIn(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { app, namespace }: { readonly app: AppSummary; readonly namespace: string },
): Promise<InstancePermissions> {
  const cluster = ports.clusters.asActor(actor);
  const may = async (verb: string): Promise<boolean> =>
    (await cluster.review({ verb, group: app.group, resource: app.plural, namespace })).allowed;
  const [create, update, remove] = await Promise.all([may('create'), may('update'), may('delete')]);
  return { create, update, delete: remove };
}
