import { compareTexts } from '../../domain/core/compare-texts.ts';
import { keyOf, type KubeObject } from '../../domain/kubernetes/resource.ts';

/** The objects of one type as last seen. */
export interface ObjectStore {
  /** Sorted by namespace and name; the same array until something changes. */
  all(): readonly KubeObject[];
  get(key: string): KubeObject | undefined;
  set(object: KubeObject): void;
  delete(object: KubeObject): void;
  /** Deletes all objects but those with these keys. */
  retain(keys: ReadonlySet<string>): void;
  /** Calls the listener with the key of every object that is there, and then of every one that changes. Returns how to stop. */
  onChange(listener: (key: string) => void): () => void;
}

/** @param keep what of an object is held. */
export function createObjectStore(keep: (object: KubeObject) => KubeObject): ObjectStore {
  const objects = new Map<string, KubeObject>();
  const listeners = new Set<(key: string) => void>();
  let keys: readonly string[] | undefined;
  let sorted: readonly KubeObject[] | undefined;
  const changed = (key: string): void => {
    sorted = undefined;
    for (const listener of listeners) listener(key);
  };
  const set = (object: KubeObject): void => {
    const key = keyOf(object);
    const before = objects.get(key);
    const { uid, resourceVersion } = object.metadata;
    if (before?.metadata.uid === uid && before?.metadata.resourceVersion === resourceVersion) return;
    objects.set(key, keep(object));
    if (before === undefined) keys = undefined;
    changed(key);
  };
  const remove = (key: string): void => {
    if (!objects.delete(key)) return;
    keys = undefined;
    changed(key);
  };
  return {
    all: () => (sorted ??= (keys ??= sortedKeys(objects)).flatMap((key) => objects.get(key) ?? [])),
    get: (key) => objects.get(key),
    set,
    delete: (object) => remove(keyOf(object)),
    retain: (kept) => {
      for (const key of [...objects.keys()].filter((one) => !kept.has(one))) remove(key);
    },
    onChange: (listener) => {
      listeners.add(listener);
      for (const key of objects.keys()) listener(key);
      return () => listeners.delete(listener);
    },
  };
}

function sortedKeys(objects: ReadonlyMap<string, KubeObject>): string[] {
  const byNamespaceAndName = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number =>
    compareTexts(a.namespace ?? '', b.namespace ?? '') || compareTexts(a.name, b.name);
  return [...objects].sort(([, a], [, b]) => byNamespaceAndName(a, b)).map(([key]) => key);
}
