/**
 * Where keys come from. The listener gets the key of everything that is there, and then of everything that changes; it must only note the
 * key. The function that comes back ends it.
 */
export interface KeySource {
  onChange(listener: (key: string) => void): () => void;
}

/** A source of the keys that another source's keys stand for, e.g. of the owners of what changed. */
export function mapSource(source: KeySource, keysFor: (key: string) => readonly string[]): KeySource {
  return {
    onChange: (listener) => source.onChange((key) => keysFor(key).forEach((mapped) => listener(mapped))),
  };
}
