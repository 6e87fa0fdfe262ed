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
  let sorted: readonly KubeObject[] | undefined;
  const changed = (key: string): void => {
    sorted = undefined;
    for (const listener of listeners) listener(key);
  };
  const set = (object: KubeObject): void => {
    const key = keyOf(object);
    const before = objects.get(key)?.metadata;
    if (before?.uid === object.metadata.uid && before?.resourceVersion === object.metadata.resourceVersion) return;
    objects.set(key, keep(object));
    changed(key);
  };
  const remove = (key: string): void => {
    if (objects.delete(key)) changed(key);
  };
  return {
    all: () => (sorted ??= [...objects.entries()].sort(([a], [b]) => compare(a, b)).map(([, object]) => object)),
    get: (key) => objects.get(key),
    set,
    delete: (object) => remove(keyOf(object)),
    retain: (keys) => {
      for (const key of [...objects.keys()].filter((key) => !keys.has(key))) remove(key);
    },
    onChange: (listener) => {
      listeners.add(listener);
      for (const key of objects.keys()) listener(key);
      return () => listeners.delete(listener);
    },
  };
}

/** `/` sorts before what names are made of, so that keys sort by namespace first. */
function compare(a: string, b: string): number {
  const left = a.replace('/', '\u0000');
  const right = b.replace('/', '\u0000');
  return compareTexts(left, right);
}
