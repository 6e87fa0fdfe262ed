import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import { filterOperators, type OperatorFilter, type OperatorList } from '../../domain/operator/operator-list.ts';
import type { Ports } from '../ports.ts';

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
