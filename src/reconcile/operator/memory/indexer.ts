import type { KubeObject } from '../../../domain/kubernetes/resource.ts';

/** The objects of one type in memory, kept in step by a watch. */
export interface WatchedType {
  get(key: string): KubeObject | undefined;
  /** Whether everything has been listed at least once. */
  synced(): boolean;
  /** Calls the listener with the key of everything that is there, and then of everything that changes. Returns how to stop. */
  onChange(listener: (key: string) => void): () => void;
}

/** The objects of a type by what they bear on: an object has any number of marks, and a mark any number of objects. */
export interface Indexer {
  /** The objects with the mark, in the order they came. */
  having(mark: string): readonly KubeObject[];
  /** Calls the listener with the marks of everything that is there, and then of everything that changes: those before and those after. */
  onChange(listener: (marks: readonly string[]) => void): () => void;
}

/** Keeps an index of a type for as long as the type is watched. */
export function createIndexer(type: WatchedType, marksOf: (object: KubeObject) => readonly string[]): Indexer {
  const keysByMark = new Map<string, Set<string>>();
  const marksByKey = new Map<string, readonly string[]>();
  const listeners = new Set<(marks: readonly string[]) => void>();
  const leave = (mark: string, key: string): void => {
    const keys = keysByMark.get(mark);
    keys?.delete(key);
    if (keys?.size === 0) keysByMark.delete(mark);
  };
  type.onChange((key) => {
    const object = type.get(key);
    const before = marksByKey.get(key) ?? [];
    const after = object === undefined ? [] : marksOf(object);
    for (const mark of before) leave(mark, key);
    for (const mark of after) {
      const keys = keysByMark.get(mark) ?? new Set();
      keysByMark.set(mark, keys.add(key));
    }
    if (after.length === 0) marksByKey.delete(key);
    else marksByKey.set(key, after);
    const touched = [...new Set([...before, ...after])];
    for (const listener of listeners) listener(touched);
  });
  return {
    having: (mark) => [...(keysByMark.get(mark) ?? [])].flatMap((key) => type.get(key) ?? []),
    onChange: (listener) => {
      listeners.add(listener);
      for (const marks of marksByKey.values()) listener(marks);
      return () => listeners.delete(listener);
    },
  };
}
