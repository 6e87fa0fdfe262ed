import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import { audited, operatorEvent } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { operatorToCreate } from '../preflight/preflight-operator.ts';

/** An Operator as somebody wants it. */
export interface NewOperator extends RequestOrigin {
  readonly operator: KubeObject;
}

/** Creates an Operator as the actor; the controller installs its chart then. `AlreadyExists` when the name is taken. */
export async function createOperator(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { operator, ...requestOrigin }: NewOperator,
): Promise<OperatorView> {
  const named = { namespace: textAt(operator, 'metadata', 'namespace') ?? '', name: textAt(operator, 'metadata', 'name') ?? '' };
  return await audited(ports, actor, operatorEvent('create operator', named, requestOrigin), async () => {
    const { object } = await ports.clusters.asActor(actor).create(OPERATOR, operatorToCreate(operator), USER_WRITE);
    return operatorView(object);
  });
}
