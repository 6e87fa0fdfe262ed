import type { Actor } from '../domain/actor.ts';
import { operatorView } from '../domain/catalog/operator-view.ts';
import type { Asking } from '../domain/journal.ts';
import type { OperatorView } from '../domain/operator.ts';
import { textAt } from '../domain/read.ts';
import type { KubeObject } from '../domain/resource.ts';
import { USER_WRITE } from './instance-draft.ts';
import { journaled, operatorDeed } from './journaled.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from './ports.ts';
import { operatorToCreate } from './preflight-operator.ts';

/** An Operator as somebody wants it. */
export interface NewOperator extends Asking {
  readonly operator: KubeObject;
}

/** Creates an Operator as the actor; the controller installs its chart then. `AlreadyExists` when the name is taken. */
export async function createOperator(
  ports: Pick<Ports, 'clusters' | 'journal'>,
  actor: Actor,
  { operator, ...asking }: NewOperator,
): Promise<OperatorView> {
  const named = { namespace: textAt(operator, 'metadata', 'namespace') ?? '', name: textAt(operator, 'metadata', 'name') ?? '' };
  return await journaled(ports, actor, operatorDeed('create operator', named, asking), async () => {
    const { object } = await ports.clusters.asActor(actor).create(OPERATORS, operatorToCreate(operator), USER_WRITE);
    return operatorView(object);
  });
}
