import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { EventView } from '../../domain/instance/instance.ts';
import { numberAt, textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/redact.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
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
  const uids = new Set(uidsOf(root));
  const { items } = await ports.clusters.asActor(actor).list(EVENT, { namespace });
  return items
    .filter((event) => uids.has(textAt(event, 'involvedObject', 'uid') ?? ''))
    .map((event) => shownEvent(event, secrets))
    .sort(newestFirst);
}

function shownEvent(event: KubeObject, secrets: readonly string[]): EventView {
  const view = eventView(event);
  return { ...view, message: redact(view.message, secrets) };
}

export function newestFirst(a: EventView, b: EventView): number {
  return instant(b.lastSeen) - instant(a.lastSeen) || a.message.localeCompare(b.message);
}

/** An Event of the Kubernetes API, old or new. */
export function eventView(event: KubeObject): EventView {
  return {
    type: textAt(event, 'type') === 'Warning' ? 'Warning' : 'Normal',
    reason: textAt(event, 'reason') ?? '',
    message: textAt(event, 'message') ?? '',
    kind: textAt(event, 'involvedObject', 'kind') ?? '',
    name: textAt(event, 'involvedObject', 'name') ?? '',
    count: numberAt(event, 'series', 'count') ?? numberAt(event, 'count') ?? 1,
    lastSeen:
      textAt(event, 'series', 'lastObservedTime') ??
      textAt(event, 'lastTimestamp') ??
      textAt(event, 'eventTime') ??
      event.metadata.creationTimestamp ??
      '',
  };
}

/** Some reporters write fractions of a second and some do not, so that the texts cannot be compared. */
function instant(time: string): number {
  return Date.parse(time) || 0;
}

/** Of all resources of a tree. */
export function uidsOf(node: TreeNode): string[] {
  return [node.uid, ...node.children.flatMap(uidsOf)];
}
