import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Cluster, type EventRecorder, ifFound } from '../domain/kubernetes/cluster.ts';
import { EVENT } from '../domain/kubernetes/resource-types.ts';
import { type KubeObject, timestamp } from '../domain/kubernetes/resource.ts';
import type { Log } from '../observe/log.ts';

type EventInput = Parameters<EventRecorder['record']>[1];

export interface RecorderOptions {
  readonly cluster: Pick<Cluster, 'create' | 'patch'>;
  readonly log: Log;
  /** Who reports. Default `chandlery`. */
  readonly component?: string;
  /** Aborted when the process stops, so that an Event of that moment is given up without a word. */
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  readonly id?: () => string;
}

const SAME_FOR_MS = 10 * 60_000;
const MAX_CACHED = 10_000;
const MAX_MESSAGE_LENGTH = 1_000;

interface Known {
  readonly name: string;
  readonly count: number;
  readonly since: number;
}

/**
 * Makes a recorder of core/v1 Events. The same one again within ten minutes counts up the first. It never throws: an Event is a courtesy, so that a failure is only
 * logged.
 */
export function createEventRecorder(options: RecorderOptions): EventRecorder {
  const { cluster, log, signal, now = () => new Date(), id = randomUUID } = options;
  const known = new LRUCache<string, Known>({ max: MAX_CACHED });
  const write = async (about: KubeObject, event: EventInput): Promise<void> => {
    const at = now();
    const key = identityOf(about, event);
    const before = known.get(key);
    const isRecent = before !== undefined && at.getTime() - before.since <= SAME_FOR_MS;
    if (isRecent && (await countUp(cluster, about, { ...before, count: before.count + 1, at }))) {
      known.set(key, { ...before, count: before.count + 1 });
      return;
    }
    const name = `${about.metadata.name.slice(0, 200)}.${id().slice(0, 13)}`;
    await cluster.create(EVENT, eventOf(about, event, { name, at, component: options.component ?? 'chandlery' }));
    known.set(key, { name, count: 1, since: at.getTime() });
  };
  return {
    record: async (about, event) => {
      try {
        await write(about, event);
      } catch (err) {
        if (signal?.aborted === true) return;
        log.warn('An event could not be written', { kind: about.kind, name: about.metadata.name, reason: event.reason, err });
      }
    },
  };
}

/** Whether the Event was still there to be counted up. */
async function countUp(cluster: Pick<Cluster, 'patch'>, about: KubeObject, { name, count, at }: Known & { at: Date }): Promise<boolean> {
  const body = { count, lastTimestamp: timestamp(at) };
  const written = await ifFound(cluster.patch({ ...EVENT, namespace: namespaceOf(about), name }, { type: 'merge', body }));
  return written !== undefined;
}

function eventOf(about: KubeObject, event: EventInput, { name, at, component }: { name: string; at: Date; component: string }): KubeObject {
  const { apiVersion, kind, metadata } = about;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: namespaceOf(about) },
    involvedObject: {
      apiVersion,
      kind,
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    },
    type: event.type,
    reason: event.reason,
    message: event.message.length > MAX_MESSAGE_LENGTH ? `${event.message.slice(0, MAX_MESSAGE_LENGTH)}…` : event.message,
    count: 1,
    firstTimestamp: timestamp(at),
    lastTimestamp: timestamp(at),
    source: { component },
    reportingComponent: component,
    reportingInstance: component,
  };
}

/** Events about cluster-scoped objects live in `default`, as those of Kubernetes itself. */
function namespaceOf(about: KubeObject): string {
  return about.metadata.namespace ?? 'default';
}

function identityOf({ kind, metadata }: KubeObject, { type, reason, message }: EventInput): string {
  const parts = [kind, metadata.namespace, metadata.name, metadata.uid, type, reason, message];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
