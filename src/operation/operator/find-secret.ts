import { type Clusters, ifFound } from '../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** A Secret, read as the actor: whoever previews a release of a private chart needs the permission to get its Secret. Undefined when there is none. */
export async function findSecret(
  clusters: Pick<Clusters, 'asActor'>,
  actor: Actor,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<KubeObject | undefined> {
  return await ifFound(clusters.asActor(actor).get({ ...SECRET, namespace, name }));
}
