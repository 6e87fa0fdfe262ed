import { stringifyJson } from '../core/exact-json.ts';
import { isObject, listAt, textAt } from '../core/read.ts';
import type { KubeObject } from './resource.ts';

/** Objects of one workload come one after another, so that few parts are worth remembering. */
const MAX_PARTS = 500;
/** Characters of JSON; larger parts hardly repeat. */
const MAX_PART_LENGTH = 4_000;

/**
 * What keeps many objects of a kind in little memory: objects of one workload share the parts that are the same. Left out is what only the api-server and
 * kubectl read: which fields belong to which manager, and the copy of the object in `kubectl.kubernetes.io/last-applied-configuration`.
 *
 * It changes the object that it is given, just parsed and known to nobody else: a copy would take a third more, as its members do not lie in the object itself.
 */
export function createCompactor(): (object: KubeObject) => KubeObject {
  const parts = new Map<string, unknown>();
  const texts = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > MAX_PART_LENGTH ? value : recent(texts, value, value);
    if (typeof value !== 'object' || value === null) return value;
    const key = stringifyJson(value);
    return key.length > MAX_PART_LENGTH ? value : recent(parts, key, value);
  };
  return (object) => {
    compactMetadata(object.metadata, share);
    compactPart(object.spec, share);
    compactPart(object.status, share);
    return object;
  };
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

type Share = (value: unknown) => unknown;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SHARED_METADATA = ['labels', 'ownerReferences', 'annotations', 'managedFields', 'creationTimestamp'];

function compactMetadata(metadata: Record<string, unknown>, share: Share): void {
  const { annotations, managedFields } = metadata;
  if (isObject(annotations) && Object.hasOwn(annotations, LAST_APPLIED)) {
    const { [LAST_APPLIED]: _applied, ...notes } = annotations;
    metadata['annotations'] = notes;
  }
  if (managedFields !== undefined) metadata['managedFields'] = listAt(managedFields).map(managerOf);
  for (const key of SHARED_METADATA) if (Object.hasOwn(metadata, key)) metadata[key] = share(metadata[key]);
}

function managerOf(entry: unknown): object {
  return Object.fromEntries(['manager', 'operation', 'subresource', 'time'].flatMap((key) => textPair(key, textAt(entry, key))));
}

function textPair(key: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[key, value]];
}

/** Containers and volumes differ by the name of a token's volume alone, and their statuses by an id, so each of their members is shared by itself; conditions one by one. */
function compactPart(part: unknown, share: Share): void {
  if (!isObject(part)) return;
  for (const [key, value] of Object.entries(part)) {
    const isOfParts = Array.isArray(value) && (key === 'volumes' || key.endsWith('ontainers') || key.endsWith('ontainerStatuses'));
    if (Array.isArray(value) && key === 'conditions') part[key] = value.map(share);
    else if (!isOfParts) part[key] = share(value);
    else for (const item of value) shareMembers(item, share);
  }
}

function shareMembers(item: unknown, share: Share): void {
  if (isObject(item)) for (const [key, member] of Object.entries(item)) item[key] = share(member);
}
