import { compareTexts } from '../core/compare-texts.ts';

/** A JSON value; `undefined` stands for an absent member of an object, a bigint for a whole number that a `number` would round (exact-json.ts). */
export type Json = string | number | bigint | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** The part of `metav1.OwnerReference` that edges of the tree are made of. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The part of `metav1.ObjectMeta` that Chandlery reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [key: string]: unknown;
}

/** Any object of the Kubernetes API. Members beyond the metadata are foreign data until a parser has read them. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [key: string]: unknown;
}

/** A resource of the api-server: what a URL path names. `group` is empty for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** The plural, as in the URL. */
  readonly resource: string;
}

/** A kind that the api-server serves, as discovery tells it. */
export interface ServedKind extends ResourceType {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  /** `scale`, `status`, …; absent where there are none. */
  readonly subresources?: readonly string[];
}

/** One object by its address. `namespace` is absent for cluster-scoped ones. */
export interface ResourceRef extends ResourceType {
  readonly namespace?: string;
  readonly name: string;
}

/** `apps/v1` or `v1`. */
export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The group and version of an `apiVersion`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The key of an object among those of its type: `namespace/name`, or `name` when it is cluster-scoped. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** What a key names. */
export function parseKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Orders objects by the time of their creation, and those of one second by namespace and name. */
export function oldestFirst(a: Pick<KubeObject, 'metadata'>, b: Pick<KubeObject, 'metadata'>): number {
  const ageOf = (object: Pick<KubeObject, 'metadata'>): string => `${object.metadata.creationTimestamp ?? ''} ${keyOf(object)}`;
  return compareTexts(ageOf(a), ageOf(b));
}

/** A time as the Kubernetes API writes it (`metav1.Time`): RFC 3339, whole seconds. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
