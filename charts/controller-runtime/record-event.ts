import type { Api } from './api.ts';
import type { LiveObject } from './kube-object.ts';
import { EVENT } from './resources.ts';

export interface EventInput {
  readonly operator: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly now: Date;
}

/** Writes an event about the parent. Call it on transitions only: every call makes a new one. */
export async function recordEvent(api: Pick<Api, 'create'>, parent: LiveObject, event: EventInput): Promise<void> {
  const { namespace, name, uid, resourceVersion } = parent.metadata;
  const time = event.now.toISOString().replace(/\.\d+Z$/, 'Z');
  const manifest = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${event.reason.toLowerCase()}.${event.now.getTime().toString(36)}` },
    involvedObject: { apiVersion: parent.apiVersion, kind: parent.kind, namespace, name, uid, resourceVersion },
    type: event.type,
    reason: event.reason,
    message: event.message.slice(0, 1000),
    source: { component: event.operator },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  await api.create(EVENT, manifest);
}
