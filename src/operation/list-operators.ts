import type { Actor } from '../domain/actor.ts';
import { operatorView } from '../domain/catalog/operator-view.ts';
import { OURS } from '../domain/names.ts';
import type { OperatorView } from '../domain/operator.ts';
import type { Ports } from './ports.ts';

/** The resource type of Operators. */
export const OPERATORS = { group: OURS.operatorGroup, version: OURS.operatorVersion, resource: 'operators' } as const;

/** All Operators, read as the actor; `Forbidden` for whoever is not an admin. */
export async function listOperators(ports: Pick<Ports, 'clusters'>, actor: Actor): Promise<OperatorView[]> {
  const { items } = await ports.clusters.asActor(actor).list(OPERATORS);
  return items.map(operatorView).sort((a, b) => a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name));
}
