import type { KeySource } from '../controller/source.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from '../domain/source/catalog-source.ts';
import { watchFolder } from '../reconcile/source/watch-folder.ts';

export interface WatchFoldersInput {
  /** The CatalogSources, live. */
  readonly sources: { get(key: string): KubeObject | undefined } & KeySource;
  readonly signal: AbortSignal;
}

/** The keys of CatalogSources whose folder changes: one watch for each folder, following the resources. */
export function watchFolders({ sources, signal }: WatchFoldersInput): KeySource {
  const watches = new Map<string, { readonly path: string; readonly stop: AbortController }>();
  const listeners = new Set<(key: string) => void>();
  const follow = (key: string): void => {
    const path = CATALOG_SOURCE_KIND.spec.read(sources.get(key)?.spec)?.folder.path;
    const known = watches.get(key);
    if (known?.path === path) return;
    known?.stop.abort();
    watches.delete(key);
    if (path === undefined) return;
    const stop = new AbortController();
    watches.set(key, { path, stop });
    const tell = (): void => listeners.forEach((listener) => listener(key));
    void watchFolder(path, tell, AbortSignal.any([signal, stop.signal]));
  };
  const unfollow = sources.onChange(follow);
  signal.addEventListener('abort', unfollow, { once: true });
  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
