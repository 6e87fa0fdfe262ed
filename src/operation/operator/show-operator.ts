import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import type { Ports } from '../ports.ts';

/** One Operator, read as the actor; throws as `findOperator`. */
export async function showOperator(ports: Pick<Ports, 'clusters'>, actor: Actor, address: OperatorAddress): Promise<OperatorView> {
  return operatorView(await findOperator(ports, actor, address));
}
