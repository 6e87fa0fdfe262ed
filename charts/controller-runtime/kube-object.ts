import type { JsonObject, KubeObject, ObjectMeta, OwnerReference } from '../../src/domain/kubernetes/resource.ts';

/** A namespaced object as we want it: nothing in it comes from the api-server. */
export interface Manifest extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly data?: Readonly<Record<string, string>>;
}

/** A namespaced object as the api-server has it. */
export interface LiveObject extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly uid: string; readonly resourceVersion: string };
}

/** Takes an object over from the api-server, which gives every object of a namespaced kind these members. */
export function asLive(object: KubeObject): LiveObject {
  return object as LiveObject;
}

/** Whether `owner` is the controller of the object. */
export function isControlledBy(object: KubeObject, owner: LiveObject): boolean {
  return object.metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) ?? false;
}

/** The reference by which the garbage collector deletes a child with its owner, and the resource tree has its edge. */
export function controllerReference({ apiVersion, kind, metadata }: LiveObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
