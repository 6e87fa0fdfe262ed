import { hasFinalizer, otherFinalizersOf } from '../domain/kubernetes/finalizers.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../domain/kubernetes/resource.ts';
import { CRD } from '../domain/kubernetes/resource-types.ts';

/** An object of a type, as it was read: the patch holds for that version only. */
interface Finalizable {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

/** Adds our finalizer, before anything outside the object is made, so that nothing of it is forgotten. @returns the object with it. */
export async function addFinalizer(cluster: Pick<Cluster, 'patch'>, resource: Finalizable): Promise<KubeObject> {
  return await setFinalizers(cluster, resource, [...(resource.object.metadata.finalizers ?? []), OURS.finalizer]);
}

/** Takes our finalizer off, and only ours. */
export async function removeFinalizer(cluster: Pick<Cluster, 'patch'>, resource: Finalizable): Promise<void> {
  await setFinalizers(cluster, resource, otherFinalizersOf(resource.object));
}

async function setFinalizers(
  cluster: Pick<Cluster, 'patch'>,
  { type, object, signal }: Finalizable,
  finalizers: readonly string[],
): Promise<KubeObject> {
  const { name, namespace, resourceVersion } = object.metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  const body = { metadata: { resourceVersion, finalizers } };
  return (await cluster.patch(ref, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal })).object;
}

/**
 * Lets an object go that is being deleted because its whole CRD is: nobody asked for the end of what it stands for, so all of that stays for the
 * object that comes after it.
 *
 * @returns `Deleted` when somebody deleted the object itself, and nothing was done.
 */
export async function removeFinalizerOfLostKind(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  resource: Finalizable,
): Promise<'KindLost' | 'Deleted'> {
  const { type, object, signal } = resource;
  if (!(await isKindLost(cluster, type, signal))) return 'Deleted';
  if (hasFinalizer(object)) await removeFinalizer(cluster, resource);
  return 'KindLost';
}

/** Whether the CRD of a type is being deleted, and with it, unasked, all objects of it. */
export async function isKindLost(cluster: Pick<Cluster, 'get'>, type: ResourceType, signal: AbortSignal): Promise<boolean> {
  const crd = await ifFound(cluster.get({ ...CRD, name: `${type.resource}.${type.group}` }, { signal }));
  return crd?.metadata.deletionTimestamp !== undefined;
}
