import type { Actor } from '../domain/actor.ts';
import { buildTree } from '../domain/tree-builder.ts';
import type { ResourceTree } from '../domain/tree.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import type { Ports } from './ports.ts';
import { namespacedKinds, readObjects } from './read-objects.ts';

/** The resource tree of an Instance, read as the actor. */
export async function showTree(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<ResourceTree> {
  const { object, ref } = await findInstance(ports, actor, address);
  const kinds = namespacedKinds(await ports.discovery.kinds());
  const { objects, unreadable } = await readObjects(ports.clusters.asActor(actor), kinds, { namespace: ref.namespace });
  return buildTree(
    object,
    objects,
    unreadable.map(({ kind }) => kind),
  );
}
