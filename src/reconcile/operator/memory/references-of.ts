import { textAt } from '../../../domain/core/read.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { parseValuesFrom } from '../../../domain/values/values-from.ts';

/** A Secret or ConfigMap that an Operator refers to. */
export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** What an Operator refers to, in its own namespace. Sorted, each once. */
export function referencesOf({ spec, metadata }: KubeObject): readonly Reference[] {
  const namespace = metadata.namespace ?? 'default';
  const secrets = [textAt(spec, 'chart', 'secretRef', 'name'), textAt(spec, 'chart', 'verify', 'secretRef', 'name')];
  const named = [...parseValuesFrom(spec), ...secrets.flatMap((name) => (name === undefined ? [] : [{ kind: 'Secret' as const, name }]))];
  const byId = new Map(named.map(({ kind, name }) => [idOf({ kind, namespace, name }), { kind, namespace, name }]));
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reference]) => reference);
}

/** Names a reference among all of the cluster. */
export function idOf({ kind, namespace, name }: Reference): string {
  return `${kind} ${namespace}/${name}`;
}
