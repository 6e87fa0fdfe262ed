import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { isDnsLabel, isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Ports } from '../ports.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import { filterOperators, type OperatorFilter, type OperatorList } from '../../domain/operator/operator-list.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';

export interface OperatorAddress {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Reads an Operator as the actor.
 *
 * @throws AppError `NotFound` in our own words; `Forbidden` for everybody who may not read Operators there, whatever the name, when it could be one.
 */
export async function findOperator(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: OperatorAddress,
): Promise<KubeObject> {
  const missing = new AppError('NotFound', `${operatorWords({ name })}: there is none in namespace ${JSON.stringify(namespace)}`);
  if (!isDnsLabel(namespace) || !isDnsSubdomain(name)) throw missing;
  try {
    return await clusters.asActor(actor).get({ ...OPERATOR, namespace, name });
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}

/** An Operator in a sentence. */
export function operatorWords({ name }: Pick<OperatorAddress, 'name'>): string {
  return `operator ${JSON.stringify(name)}`;
}

/** The Operators that match, read as the actor, by namespace and name; `Forbidden` for whoever is not an admin. */
export async function listOperators(
  ports: { readonly clusters: Pick<Ports['clusters'], 'asActor'> },
  actor: Actor,
  filter: OperatorFilter,
): Promise<OperatorList> {
  const { items } = await ports.clusters.asActor(actor).list(OPERATOR);
  const all = items.map(operatorView).sort((a, b) => a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name));
  return filterOperators(all, filter);
}

/** One Operator, read as the actor; throws as `findOperator`. */
export async function showOperator(ports: Pick<Ports, 'clusters'>, actor: Actor, address: OperatorAddress): Promise<OperatorView> {
  return operatorView(await findOperator(ports, actor, address));
}
