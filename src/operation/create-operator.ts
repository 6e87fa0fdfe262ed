import type { Actor } from '../domain/actor.ts';
import { operatorView } from '../domain/catalog/operator-view.ts';
import type { OperatorView } from '../domain/operator.ts';
import type { KubeObject } from '../domain/resource.ts';
import { USER_WRITE } from './instance-draft.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from './ports.ts';
import { operatorToCreate } from './preflight-operator.ts';

/** Creates an Operator as the actor; the controller installs its chart then. `AlreadyExists` when the name is taken. */
export async function createOperator({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, operator: KubeObject): Promise<OperatorView> {
  const { object } = await clusters.asActor(actor).create(OPERATORS, operatorToCreate(operator), USER_WRITE);
  return operatorView(object);
}
