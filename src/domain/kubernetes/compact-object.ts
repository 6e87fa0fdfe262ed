import { isObject, listAt, textAt } from '../core/read.ts';
import type { KubeObject } from './resource.ts';

/** Objects of one workload come one after another, so that few parts are worth remembering. */
const MAX_PARTS = 500;
/** Characters of JSON; larger parts hardly repeat. */
const MAX_PART_LENGTH = 4_000;

/**
 * What keeps many objects of a kind in little memory: objects of one workload share the parts that are the same. Left out is what only the api-server and
 * kubectl read: which fields belong to which manager, and the copy of the object in `kubectl.kubernetes.io/last-applied-configuration`.
 */
export function createCompactor(): (object: KubeObject) => KubeObject {
  const parts = new Map<string, unknown>();
  const texts = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > MAX_PART_LENGTH ? value : recent(texts, value, value);
    if (typeof value !== 'object' || value === null) return value;
    const key = JSON.stringify(value);
    return key.length > MAX_PART_LENGTH ? value : recent(parts, key, value);
  };
  return (object) => ({
    ...object,
    metadata: compactMetadata(object.metadata, share),
    ...(isObject(object.spec) ? { spec: membersOf(object.spec, share) } : {}),
    ...(isObject(object.status) ? { status: membersOf(object.status, share) } : {}),
  });
}

/** What a key was used for lately, or the value from now on. A namespace has hundreds of kinds with few objects, so that nothing is reserved. */
function recent(known: Map<string, unknown>, key: string, value: unknown): unknown {
  const before = known.get(key);
  if (before !== undefined) known.delete(key);
  const [oldest] = known.size >= MAX_PARTS ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, before ?? value);
  return before ?? value;
}

function compactMetadata({ annotations, managedFields, ...metadata }: KubeObject['metadata'], share: Share): KubeObject['metadata'] {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...notes } = annotations ?? {};
  const managers = listAt({ managedFields }, 'managedFields').map((entry) =>
    Object.fromEntries(['manager', 'operation', 'subresource', 'time'].flatMap((key) => textPair(key, textAt(entry, key)))),
  );
  return {
    ...metadata,
    ...(metadata.labels === undefined ? {} : { labels: share(metadata.labels) as typeof metadata.labels }),
    ...(metadata.ownerReferences === undefined
      ? {}
      : { ownerReferences: share(metadata.ownerReferences) as typeof metadata.ownerReferences }),
    ...(annotations === undefined ? {} : { annotations: share(notes) as typeof annotations }),
    ...(managers.length === 0 ? {} : { managedFields: share(managers) }),
  };
}

type Share = (value: unknown) => unknown;

function textPair(key: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[key, value]];
}

/** Containers and volumes differ by the name of a token's volume alone, and their statuses by an id, so each of their members is shared by itself; conditions one by one. */
function membersOf(part: Readonly<Record<string, unknown>>, share: Share): Record<string, unknown> {
  const shared = (key: string, value: unknown): unknown => {
    if (!Array.isArray(value)) return share(value);
    if (key === 'conditions') return value.map(share);
    return key === 'volumes' || key.endsWith('ontainers') || key.endsWith('ontainerStatuses')
      ? value.map((item) => sharedMembers(item, share))
      : share(value);
  };
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, shared(key, value)]));
}

function sharedMembers(item: unknown, share: Share): unknown {
  return isObject(item) ? Object.fromEntries(Object.entries(item).map(([key, member]) => [key, share(member)])) : item;
}
