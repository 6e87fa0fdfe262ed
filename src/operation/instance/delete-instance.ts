import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Asking } from '../../domain/audit/audit-log.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import { instanceDeed, journaled } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';

/** Deletes exactly the Instance that stands there now; what it owns goes with it in the background. Resolves once the api-server has accepted. */
export async function deleteInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'journal'>,
  actor: Actor,
  address: InstanceAddress & Asking,
): Promise<void> {
  await journaled(ports, actor, instanceDeed('delete instance', address, address), async () => await remove(ports, actor, address));
}

async function remove(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, address: InstanceAddress): Promise<void> {
  const { ref, object } = await findInstance(ports, actor, address);
  const { uid } = object.metadata;
  await ports.clusters.asActor(actor).delete(ref, { propagation: 'Background', ...(uid === undefined ? {} : { uid }) });
}
