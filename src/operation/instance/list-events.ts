import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import type { EventView, InstanceView } from '../../domain/instance/instance.ts';
import { redact } from '../../domain/core/redact.ts';
import type { ResourceTree } from '../../domain/tree/tree.ts';
import { findInstance, instanceView, type InstanceAddress } from './find-instance.ts';
import { markedOf, secretsOf } from './instance-masking.ts';
import { treeOf, type TreePorts } from './show-tree.ts';

/** The Events about an Instance and everything in its tree, newest first. */
export async function listEvents(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<readonly EventView[]> {
  return (await readInstance(ports, actor, address)).events;
}

/** An Instance with its tree, and the Events about both. */
export interface InstanceReading {
  readonly instance: InstanceView;
  readonly tree: ResourceTree;
  /** Newest first. */
  readonly events: readonly EventView[];
}

/** What a page shows of an Instance while somebody looks: each thing is read once. */
export async function readInstance(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<InstanceReading> {
  const found = await findInstance(ports, actor, address);
  const { entry, environment, object } = found;
  const { namespace } = environment;
  const [tree, { items }] = await Promise.all([treeOf(ports, actor, found), ports.clusters.asActor(actor).list(EVENT, { namespace })]);
  const secrets = secretsOf(markedOf(entry), object);
  const events = eventsAbout(tree.root, items).map((event) => ({ ...event, message: redact(event.message, secrets) }));
  return { instance: instanceView(entry, environment, object), tree, events };
}
