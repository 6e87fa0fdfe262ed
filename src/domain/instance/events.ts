import { numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { nodesOf, type TreeNode } from '../tree/tree.ts';
import type { EventView } from './instance.ts';

/**
 * The Events about the resources of a tree, folded by `foldEvents`. A Warning about a resource that is healthy now is resolved; about one that reports no health,
 * when the whole tree is healthy.
 *
 * @param events of the Kubernetes API, old (core/v1) or new (events.k8s.io/v1).
 */
export function eventsAbout(root: TreeNode, events: readonly KubeObject[]): EventView[] {
  const nodes = new Map(nodesOf(root).map((node) => [node.uid, node]));
  return foldEvents(events, (uid) => {
    const node = nodes.get(uid);
    if (node === undefined) return 'Unrelated';
    return (node.health ?? root.health)?.status === 'Healthy' ? 'Resolved' : 'Open';
  });
}

/** Events newest first: those of one reason about one resource are one row, with the newest message. */
export function foldEvents(
  events: readonly KubeObject[],
  stateOf: (uid: string, kind: string) => 'Open' | 'Resolved' | 'Unrelated',
): EventView[] {
  const rows = new Map<string, EventView>();
  for (const event of events) {
    const uid = textAt(event, 'involvedObject', 'uid') ?? '';
    const state = stateOf(uid, textAt(event, 'involvedObject', 'kind') ?? '');
    if (state === 'Unrelated') continue;
    const view = eventView(event, state === 'Resolved');
    const key = JSON.stringify([uid, view.type, view.reason]);
    const known = rows.get(key);
    rows.set(key, known === undefined ? view : folded(known, view));
  }
  return [...rows.values()].toSorted(newestFirst);
}

function folded(a: EventView, b: EventView): EventView {
  const newest = instant(b.lastSeen) >= instant(a.lastSeen) ? b : a;
  const firstSeen = instant(a.firstSeen) <= instant(b.firstSeen) ? a.firstSeen : b.firstSeen;
  return { ...newest, count: a.count + b.count, firstSeen };
}

function newestFirst(a: EventView, b: EventView): number {
  return instant(b.lastSeen) - instant(a.lastSeen) || a.message.localeCompare(b.message);
}

function eventView(event: KubeObject, isHealthy: boolean): EventView {
  const type = textAt(event, 'type') === 'Warning' ? 'Warning' : 'Normal';
  const created = textAt(event, 'eventTime') ?? event.metadata.creationTimestamp ?? '';
  return {
    type,
    reason: textAt(event, 'reason') ?? '',
    message: textAt(event, 'message') ?? '',
    kind: textAt(event, 'involvedObject', 'kind') ?? '',
    name: textAt(event, 'involvedObject', 'name') ?? '',
    count: numberAt(event, 'series', 'count') ?? numberAt(event, 'count') ?? 1,
    firstSeen: textAt(event, 'firstTimestamp') ?? created,
    lastSeen: textAt(event, 'series', 'lastObservedTime') ?? textAt(event, 'lastTimestamp') ?? created,
    resolved: type === 'Warning' && isHealthy,
  };
}

/** Some reporters write fractions of a second and some do not, so that the texts cannot be compared. */
function instant(time: string): number {
  return Date.parse(time) || 0;
}
