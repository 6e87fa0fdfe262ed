import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';

/** What to delete, and what must hold of it. */
export interface InstanceDeletion extends InstanceAddress {
  readonly preconditions?: Preconditions;
}

/** Deletes exactly the Instance that stands there now; what it owns goes with it in the background. Resolves once the api-server has accepted. */
export async function deleteInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  deletion: InstanceDeletion & RequestOrigin,
): Promise<void> {
  await audited(ports, actor, instanceEvent('delete instance', deletion, deletion), async () => await remove(ports, actor, deletion));
}

async function remove(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, deletion: InstanceDeletion): Promise<void> {
  const { entry, ref, object } = await findInstance(ports, actor, deletion);
  const { uid } = object.metadata;
  const what = `${entry.summary.displayName} ${JSON.stringify(deletion.name)}`;
  await writeChecked({ ...deletion, what, object }, async (only) => {
    await ports.clusters.asActor(actor).delete(ref, { propagation: 'Background', ...(uid === undefined ? {} : { uid }), ...only });
  });
}
