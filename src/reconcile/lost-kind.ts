import { ifFound } from '../domain/kubernetes/if-found.ts';
import { CRD } from '../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { removeFinalizer, type Finalizable } from './finalizer.ts';

/**
 * Lets an object go that is being deleted because its whole CRD is: nobody asked for the end of what it stands for, so all of that stays for the
 * object that comes after it.
 *
 * @returns `Deleted` when somebody deleted the object itself, and nothing was done.
 */
export async function removeFinalizerOfLostKind(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  guarded: Finalizable,
): Promise<'KindLost' | 'Deleted'> {
  const { type, object, signal } = guarded;
  const crd = await ifFound(cluster.get({ ...CRD, name: `${type.resource}.${type.group}` }, { signal }));
  if (crd?.metadata.deletionTimestamp === undefined) return 'Deleted';
  if (object.metadata.finalizers?.includes(OURS.finalizer) === true) await removeFinalizer(cluster, guarded);
  return 'KindLost';
}
