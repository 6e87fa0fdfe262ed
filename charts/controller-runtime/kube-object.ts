/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export interface JsonMap {
  readonly [key: string]: Json | undefined;
}

/** A kind as the api-server serves it. `group` is empty for the core group. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What we want to be: nothing in it comes from the api-server. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly resourceVersion?: string;
  };
  readonly spec?: JsonMap;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: JsonMap;
  readonly type?: string;
}

/** What is: an object as the api-server answered it. */
export interface LiveObject extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
}

/** `namespace/name`, the key of queues and caches. */
export function keyOf(object: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

/** `v1` or `group/version`. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Whether the object says that `owner` is its managing owner. */
export function isControlledBy(object: Manifest, owner: LiveObject): boolean {
  return (
    object.metadata.ownerReferences?.some((reference) => reference.controller === true && reference.uid === owner.metadata.uid) ?? false
  );
}

/** The reference that makes the garbage collector delete a child with its owner, and draws the edge of the resource tree. */
export function controllerReference({ apiVersion, kind, metadata }: LiveObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
