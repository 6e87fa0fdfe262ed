import { specOf } from '../../../domain/kind/kind.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';

/** A Secret or ConfigMap that an Operator refers to. */
export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** What an Operator refers to, in its own namespace. Sorted, each once. */
export function referencesOf(operator: KubeObject): readonly Reference[] {
  const { namespace = 'default' } = operator.metadata;
  const { chart, valuesFrom } = specOf(OPERATOR_KIND, operator);
  const secrets = [chart?.secretRef?.name, chart?.verify?.secretRef.name];
  const named = [...valuesFrom, ...secrets.flatMap((name) => (name === undefined ? [] : [{ kind: 'Secret' as const, name }]))];
  const byId = new Map(named.map(({ kind, name }) => [idOf({ kind, namespace, name }), { kind, namespace, name }]));
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reference]) => reference);
}

/** Names a reference among all of the cluster. */
export function idOf({ kind, namespace, name }: Reference): string {
  return `${kind} ${namespace}/${name}`;
}
