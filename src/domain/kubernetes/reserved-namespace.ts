import { OURS } from './names.ts';
import { parseOperatorSpec } from '../operator/operator-spec.ts';
import { textAt } from '../core/read.ts';
import type { KubeObject, ObjectMeta } from './resource.ts';

/*
 * The members of an Environment read and write its Secrets, so they would reach the account, the values and the credentials of an Operator beside them. And
 * the accounts of kube-system are trusted by the admission policies of Environments.
 */

const OF_KUBERNETES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/** Whether a namespace is one of Kubernetes itself, where no Operator may have its release. */
function isOfKubernetes(namespace: string): boolean {
  return OF_KUBERNETES.has(namespace);
}

/** The Environment whose namespace it is, by its label; undefined when it is no Environment's. */
export function environmentOf({ labels }: Pick<ObjectMeta, 'labels'>): string | undefined {
  return labels?.[OURS.environmentLabel];
}

/** The Operators, as `namespace/name`, that are in a namespace or have their release there. */
export function operatorsIn(namespace: string, operators: readonly KubeObject[]): string[] {
  return operators
    .filter((operator) => operator.metadata.namespace === namespace || parseOperatorSpec(operator).targetNamespace === namespace)
    .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
    .sort();
}

/** A namespace that an Operator uses. */
export interface UsedNamespace {
  readonly name: string;
  /** `own`: the Operator itself is in it; `target`: its release is; `object`: an object of its chart is. */
  readonly use: 'own' | 'target' | 'object';
}

/** The namespaces that an Operator uses, each once, with the objects of its chart as far as they are known. */
export function usedNamespaces(operator: KubeObject, objects: readonly KubeObject[] = []): readonly UsedNamespace[] {
  const { namespace: own = 'default' } = operator.metadata;
  const inChart = objects.map((object) => textAt(object, 'metadata', 'namespace') ?? '').filter((name) => name !== '');
  const uses = new Map<string, UsedNamespace['use']>(inChart.map((name) => [name, 'object']));
  uses.set(own, 'own').set(parseOperatorSpec(operator).targetNamespace, 'target');
  return [...uses].map(([name, use]) => ({ name, use }));
}

/** Why an Operator must not use a namespace, as a sentence; undefined when it may. */
export function reservation({ name, use }: UsedNamespace, environment: string | undefined): string | undefined {
  if (use === 'target' && isOfKubernetes(name)) {
    return `namespace "${name}": it belongs to Kubernetes itself, and no Operator can have its release there; choose another spec.targetNamespace`;
  }
  if (environment === undefined) return undefined;
  const where = `namespace "${name}": it belongs to the Environment "${environment}", whose members can access its content`;
  switch (use) {
    case 'own':
      return `${where}; create the Operator in another namespace`;
    case 'target':
      return `${where}; choose another spec.targetNamespace`;
    case 'object':
      return `${where}, and the chart has objects there; choose other values`;
    default:
      return use satisfies never;
  }
}
