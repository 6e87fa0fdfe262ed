import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { NAMESPACE } from '../../../domain/kubernetes/resource-types.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { textAt } from '../../../domain/core/read.ts';
import { environmentOf, reservation, usedNamespaces, type UsedNamespace } from '../../../domain/kubernetes/reserved-namespace.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { OperatorPorts } from '../ports.ts';
import type { Work } from '../work.ts';

/** Why the Operator must not work where it is, as far as memory knows the Environments; undefined when it may. Costs no call. */
export function observeReservation({ environments }: Pick<OperatorPorts, 'environments'>, operator: KubeObject): AppError | undefined {
  const known = environments?.() ?? [];
  const owner = (name: string): string | undefined => known.find(({ status }) => textAt(status, 'namespace') === name)?.metadata.name;
  return firstFault(usedNamespaces(operator), owner);
}

/**
 * Asks the cluster whose the namespaces are that the Operator and its chart use, right before something is written.
 *
 * @throws AppError `NamespaceReserved` for one that belongs to an Environment, or to Kubernetes.
 */
export async function rejectReserved({ ports, operator, signal }: Work, objects: readonly KubeObject[]): Promise<void> {
  const used = usedNamespaces(operator, objects);
  const owners = new Map<string, string | undefined>();
  for (const { name } of used) {
    const namespace = await ifFound(ports.cluster.get({ ...NAMESPACE, name }, { signal }));
    owners.set(name, namespace === undefined ? undefined : environmentOf(namespace.metadata));
  }
  const fault = firstFault(used, (name) => owners.get(name));
  if (fault !== undefined) throw fault;
}

function firstFault(used: readonly UsedNamespace[], owner: (name: string) => string | undefined): AppError | undefined {
  const [sentence] = used.map((one) => reservation(one, owner(one.name))).filter((text) => text !== undefined);
  return sentence === undefined ? undefined : new AppError('NamespaceReserved', sentence);
}
