import { textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { crdsOfOperator } from './app-catalog.ts';

/** The kinds that the Operators of one namespace bring, hidden ones included. */
export interface OperatorKinds {
  /** Where the operators run, and so their service accounts. */
  readonly namespace: string;
  /** By API group. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
}

/** Sorted, so that equal Operators make equal policies. */
export function operatorKinds(operators: readonly KubeObject[], crds: readonly KubeObject[]): OperatorKinds[] {
  const byNamespace = Map.groupBy(operators, targetNamespaceOf);
  const namespaces = [...byNamespace].sort(([a], [b]) => (a < b ? -1 : 1));
  return namespaces.flatMap(([namespace, own]) => {
    const kinds = kindsByGroup(own.flatMap((operator) => crdsOfOperator(operator, crds)));
    return Object.keys(kinds).length === 0 ? [] : [{ namespace, kinds }];
  });
}

/** Also of an Operator whose spec is wrong elsewhere. */
function targetNamespaceOf({ metadata, spec }: KubeObject): string {
  return textAt(spec, 'targetNamespace') ?? metadata.namespace ?? 'default';
}

function kindsByGroup(crds: readonly KubeObject[]): Record<string, string[]> {
  const byGroup = Map.groupBy(crds, ({ spec }) => textAt(spec, 'group') ?? '');
  const groups = [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(groups.map(([group, own]) => [group, own.map(({ spec }) => textAt(spec, 'names', 'kind') ?? '').sort()]));
}
