import type { Actor } from '../domain/actor.ts';
import { operatorView } from '../domain/catalog/operator-view.ts';
import type { OperatorView } from '../domain/operator.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from './ports.ts';

/** One Operator, read as the actor. */
export async function showOperator(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<OperatorView> {
  return operatorView(await ports.clusters.asActor(actor).get({ ...OPERATORS, namespace, name }));
}
