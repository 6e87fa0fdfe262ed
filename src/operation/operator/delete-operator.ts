import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { findOperator, type OperatorAddress, operatorWords } from './find-operator.ts';
import { audited, operatorEvent } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';

/** What to delete, and what must hold of it. */
export interface OperatorDeletionInput extends OperatorAddress {
  readonly preconditions?: Preconditions;
}

/** Asks for the deletion of exactly the Operator that stands there now; what that means, its `deletionPolicy` says. Resolves once the api-server has accepted. */
export async function deleteOperator(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  deletion: OperatorDeletionInput & RequestOrigin,
): Promise<void> {
  await audited(ports, actor, operatorEvent('delete operator', deletion, deletion), async () => await remove(ports, actor, deletion));
}

async function remove(ports: Pick<Ports, 'clusters'>, actor: Actor, deletion: OperatorDeletionInput): Promise<void> {
  const { namespace, name } = deletion;
  const object = await findOperator(ports, actor, deletion);
  const { uid } = object.metadata;
  await writeChecked({ ...deletion, what: operatorWords(deletion), object }, async (only) => {
    await ports.clusters.asActor(actor).delete({ ...OPERATOR, namespace, name }, { ...(uid === undefined ? {} : { uid }), ...only });
  });
}
