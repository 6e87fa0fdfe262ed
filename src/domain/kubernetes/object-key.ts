import type { KubeObject } from './resource.ts';

/** The key of an object among those of its type: `namespace/name`, or `name` when it is cluster-scoped. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** What a key names. */
export function parseKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
