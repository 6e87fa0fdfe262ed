import type { Actor } from '../../domain/kubernetes/actor.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import type { EventView, InstanceView } from '../../domain/instance/instance.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import { findInstance, instanceView, type InstanceAddress } from './find-instance.ts';
import { markedOf, secretsOf } from './instance-masking.ts';
import { explainedGroup, groupOf, type InstanceGroup, listInstanceEvents, type TreePorts } from './show-tree.ts';

/** The Events about an Instance and everything in its tree, newest first. */
export async function listEvents(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<readonly EventView[]> {
  return (await readWith(ports, actor, { address })).events;
}

/** The workloads of an Instance with their pods by revision, by kind and name. */
export async function listWorkloads(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<readonly Workload[]> {
  return (await groupOf(ports, actor, await findInstance(ports, actor, address))).workloads;
}

/** An Instance with its tree and workloads, and the Events about all of them. */
export interface InstanceReading extends InstanceGroup {
  readonly instance: InstanceView;
  /** Newest first. */
  readonly events: readonly EventView[];
}

/**
 * What a page shows of an Instance while somebody looks: each thing is read once. What the app hardly ever consists of is looked for after the answer, and is in the
 * next reading.
 */
export async function readInstance(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<InstanceReading> {
  return await readWith(ports, actor, { address, extent: 'Expected' });
}

interface ReadingInput {
  readonly address: InstanceAddress;
  readonly extent?: 'Expected';
}

async function readWith(ports: TreePorts, actor: Actor, { address, ...extent }: ReadingInput): Promise<InstanceReading> {
  const found = await findInstance(ports, actor, address);
  const { entry, environment, object } = found;
  const reading = listInstanceEvents(ports, actor, found);
  const [{ tree, workloads }, items] = await Promise.all([explainedGroup(ports, actor, { found, events: reading, ...extent }), reading]);
  const secrets = secretsOf(markedOf(entry), object);
  const events = eventsAbout(tree.root, items).map((event) => ({ ...event, message: redact(event.message, secrets) }));
  return { instance: instanceView(entry, environment, { object, health: tree.health }), tree, workloads, events };
}
