import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Asking } from '../../domain/audit/audit-log.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { journaled, operatorDeed } from '../audit/audited.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from '../ports.ts';

/** Asks for the deletion of exactly the Operator that stands there now; what that means, its `deletionPolicy` says. Resolves once the api-server has accepted. */
export async function deleteOperator(
  ports: Pick<Ports, 'clusters' | 'journal'>,
  actor: Actor,
  address: OperatorAddress & Asking,
): Promise<void> {
  await journaled(ports, actor, operatorDeed('delete operator', address, address), async () => await remove(ports, actor, address));
}

async function remove(ports: Pick<Ports, 'clusters'>, actor: Actor, address: OperatorAddress): Promise<void> {
  const { uid } = (await findOperator(ports, actor, address)).metadata;
  const { namespace, name } = address;
  await ports.clusters.asActor(actor).delete({ ...OPERATORS, namespace, name }, uid === undefined ? {} : { uid });
}
