import type { KubeObject } from '../domain/kubernetes/resource.ts';

/** The objects of one type in memory, kept in step by a watch. */
export interface WatchedType {
  get(key: string): KubeObject | undefined;
  /** Whether everything has been listed at least once. */
  synced(): boolean;
  /** Calls the listener with the key of everything that is there, and then of everything that changes. Returns how to stop. */
  onChange(listener: (key: string) => void): () => void;
}

/** The objects of a type by index key: an object has any number of keys, and a key any number of objects. */
export interface Indexer {
  /** The objects with the index key, in the order they came. */
  having(indexKey: string): readonly KubeObject[];
  /** Calls the listener with the index keys of everything that is there, and then of everything that changes: those before and those after. */
  onChange(listener: (indexKeys: readonly string[]) => void): () => void;
}

/** Keeps an index of a type for as long as the type is watched. */
export function createIndexer(type: WatchedType, indexKeysOf: (object: KubeObject) => readonly string[]): Indexer {
  const objectsByIndexKey = new Map<string, Set<string>>();
  const indexKeysByObject = new Map<string, readonly string[]>();
  const listeners = new Set<(indexKeys: readonly string[]) => void>();
  const leave = (indexKey: string, key: string): void => {
    const keys = objectsByIndexKey.get(indexKey);
    keys?.delete(key);
    if (keys?.size === 0) objectsByIndexKey.delete(indexKey);
  };
  type.onChange((key) => {
    const object = type.get(key);
    const before = indexKeysByObject.get(key) ?? [];
    const after = object === undefined ? [] : indexKeysOf(object);
    for (const indexKey of before) leave(indexKey, key);
    for (const indexKey of after) {
      const keys = objectsByIndexKey.get(indexKey) ?? new Set();
      objectsByIndexKey.set(indexKey, keys.add(key));
    }
    if (after.length === 0) indexKeysByObject.delete(key);
    else indexKeysByObject.set(key, after);
    const touched = [...new Set([...before, ...after])];
    for (const listener of listeners) listener(touched);
  });
  return {
    having: (indexKey) => [...(objectsByIndexKey.get(indexKey) ?? [])].flatMap((key) => type.get(key) ?? []),
    onChange: (listener) => {
      listeners.add(listener);
      for (const indexKeys of indexKeysByObject.values()) listener(indexKeys);
      return () => listeners.delete(listener);
    },
  };
}
