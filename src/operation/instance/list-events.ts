import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import type { EventView } from '../../domain/instance/instance.ts';
import { redact } from '../../domain/core/redact.ts';
import type { ResourceTree, TreeNode } from '../../domain/tree/tree.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import { markedOf, secretsOf } from './instance-masking.ts';
import type { Ports } from '../ports.ts';
import { showTree } from './show-tree.ts';

/** An Instance, with its tree when the caller has read it just now. */
export interface EventsInput extends InstanceAddress {
  readonly tree?: ResourceTree;
}

/** The Events about an Instance and everything in its tree, newest first. */
export async function listEvents(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { tree, ...address }: EventsInput,
): Promise<readonly EventView[]> {
  const { entry, environment, object } = await findInstance(ports, actor, address);
  const { namespace } = environment;
  const secrets = secretsOf(markedOf(entry), object);
  const { root } = tree ?? (await showTree(ports, actor, address));
  const { items } = await ports.clusters.asActor(actor).list(EVENT, { namespace });
  return eventsAbout(root, items).map((event) => ({ ...event, message: redact(event.message, secrets) }));
}

/** Of all resources of a tree. */
export function uidsOf(node: TreeNode): string[] {
  return [node.uid, ...node.children.flatMap(uidsOf)];
}
