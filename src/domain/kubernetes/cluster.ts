import type { Actor } from './actor.ts';
import type { KubeObject, ObjectMeta, ResourceRef, ResourceType, ServedKind } from './resource.ts';
import { isAppError } from '../core/errors.ts';

/**
 * The api-server as one identity sees it. `kube/` implements it; whoever needs a part of it declares that part with `Pick<Cluster, …>`.
 * Every method throws AppError: `NotFound`, `Forbidden` (with the missing permission), `AlreadyExists`, `Conflict`, `InvalidInput` (with a fault per
 * field of the api-server's answer), `AdmissionDenied`, `QuotaExceeded`, `WebhookUnavailable`, `TooManyRequests`,
 * `ClusterUnavailable`.
 */
export interface Cluster {
  get(ref: ResourceRef, options?: GetOptions): Promise<KubeObject>;
  /** The row of `kubectl get` for one object, by the Table format: for custom resources, the `additionalPrinterColumns` of their CRD. */
  table(ref: ResourceRef, options?: CallOptions): Promise<ObjectTable>;
  /**
   * The end of the log of a container, each line with its time. Throws `InvalidInput` while the container has not started, or has no earlier run, and
   * `ClusterUnavailable` when its node does not answer.
   */
  logs(pod: ResourceRef, options: LogOptions): Promise<string>;
  /** Follows `continue` to the end; `namespace` absent: across all namespaces or cluster-scoped. */
  list(type: ResourceType, options?: ListOptions): Promise<ObjectList>;
  /** The same, but only metadata crosses the wire (PartialObjectMetadataList). `apiVersion` and `kind` of the items are those of the listed kind. */
  listMetadata(type: ResourceType, options?: ListOptions): Promise<ObjectList>;
  /** Page after page, so that no more than one is in memory; throws `Conflict` with status 410 when reading took too long, and then has to begin anew. */
  pages(type: ResourceType, options: PageOptions): AsyncIterable<ObjectPage>;
  create(type: ResourceType, object: KubeObject, options?: WriteOptions): Promise<Written>;
  /** Server-side apply. */
  apply(type: ResourceType, object: KubeObject, options: ApplyOptions): Promise<Written>;
  /** Replaces the object; with a `resourceVersion` in its metadata, only that version of it. */
  replace(type: ResourceType, object: KubeObject, options?: WriteOptions): Promise<Written>;
  patch(ref: ResourceRef, patch: Patch, options?: WriteOptions): Promise<Written>;
  /** Resolves when the api-server has accepted the deletion, which finalizers may delay. */
  delete(ref: ResourceRef, options?: DeleteOptions): Promise<void>;
  /**
   * Deletes a pod by the eviction API, which respects PodDisruptionBudgets: throws `DisruptionBudget` when one of them does not allow it now.
   */
  evict(pod: ResourceRef, options?: EvictOptions): Promise<void>;
  /** Server-side apply of `status` alone. */
  applyStatus(type: ResourceType, object: KubeObject, options: ApplyOptions): Promise<Written>;
  /** Yields until the signal aborts (ends silently) or the watch breaks (throws; `Conflict` with status 410 when the version is too old). */
  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** The same, but only metadata crosses the wire (PartialObjectMetadata). */
  watchMetadata(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** SelfSubjectAccessReview. */
  review(attributes: ResourceAttributes | NonResourceAttributes, options?: CallOptions): Promise<AccessReviewStatus>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}
export interface GetOptions extends CallOptions {
  readonly subresource?: 'scale';
  /** `metadata`: only the metadata crosses the wire, as a `PartialObjectMetadata`. Default: all of it. */
  readonly answer?: 'metadata';
}
export interface EvictOptions extends CallOptions {
  /** Evict only the pod with this uid. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: 'All';
}
/** As core/v1 PodLogOptions. */
export interface LogOptions extends CallOptions {
  readonly container: string;
  /** The run of the container before its last restart. */
  readonly previous?: boolean;
  readonly tailLines: number;
  readonly limitBytes: number;
}
export interface ListOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** What of an object is held; of what comes page by page, the rest is gone before the next page. Default: all of it. */
  readonly keep?: (object: KubeObject) => KubeObject;
}
export interface PageOptions extends Omit<ListOptions, 'keep'> {
  /** What crosses the wire. */
  readonly content: 'whole' | 'metadata';
  /** Objects of a page at most. */
  readonly size: number;
}
export interface WriteOptions extends CallOptions {
  readonly dryRun?: 'All';
  readonly fieldManager?: string;
  /** Default `Strict`: unknown and duplicate fields are rejected. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly subresource?: 'status' | 'scale';
  /** `metadata`: of what was written, only the metadata comes back, as a `PartialObjectMetadata`. For what is large. Default: all of it. */
  readonly answer?: 'metadata';
}
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers. Default: a `Conflict`. */
  readonly force?: 'force';
}
export interface DeleteOptions extends CallOptions {
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** Delete only the object with this uid. */
  readonly uid?: string;
  /** Delete only this version of the object. */
  readonly resourceVersion?: string;
  readonly dryRun?: 'All';
}
export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * The version to begin after. Absent: a streaming list, which begins with an `ADDED` event for each object and the `BOOKMARK` that `endsInitialEvents` knows;
   * throws `InvalidInput` if the api-server does not offer it.
   */
  readonly resourceVersion?: string;
  readonly signal: AbortSignal;
}
export type Patch =
  | { readonly type: 'merge'; readonly body: { readonly [key: string]: unknown } }
  | { readonly type: 'json'; readonly body: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[] };

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}
/** One row of the Table format (meta.k8s.io/v1). */
export interface ObjectTable {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly description: string }[];
  readonly cells: readonly unknown[];
}
export interface ObjectPage extends ObjectList {
  /** How many objects follow after this page, as far as the api-server says. */
  readonly remaining: number;
}
export interface Written {
  readonly object: KubeObject;
  /** Sentences of the api-server's `Warning` headers. */
  readonly warnings: readonly string[];
}
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

/** Whether an event ends the list with which a watch without a version begins. */
export function endsInitialEvents({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}
/** A verb on a path of the api-server that is no resource, such as `/metrics`. */
export interface NonResourceAttributes {
  readonly verb: string;
  readonly path: string;
}
export interface AccessReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
}

/**
 * The api-server for whoever only tries: nothing is ever written, and of what is there, also of what a dry run would make of it, only metadata
 * crosses the wire. Throws as `Cluster` does.
 */
export interface DryRunCluster {
  /** Server-side apply as a dry run. */
  dryRunApply(type: ResourceType, object: KubeObject, options: DryRunOptions): Promise<DryRunAnswer>;
  dryRunCreate(type: ResourceType, object: KubeObject, options: DryRunOptions): Promise<DryRunAnswer>;
  /** Undefined when there is none. */
  metadataOf(ref: ResourceRef, options?: CallOptions): Promise<ObjectMeta | undefined>;
  /** SelfSubjectAccessReview. */
  review(attributes: ResourceAttributes | NonResourceAttributes, options?: CallOptions): Promise<AccessReviewStatus>;
  /** The user name under which it is tried, by SelfSubjectReview. */
  account(options?: CallOptions): Promise<string>;
}

export interface DryRunOptions extends CallOptions {
  readonly fieldManager: string;
}

/** What the api-server said to a dry run. */
export interface DryRunAnswer {
  /** As the object would have it. */
  readonly metadata: ObjectMeta;
  readonly warnings: readonly string[];
}

/** The ServiceAccount that releases of instances are applied as. */
export interface DeployerAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The identities under which calls can be made (design section 4). */
export interface Clusters {
  /** The controller's own account: discovery, catalogue resources, Operators, environments. */
  asController(): Cluster;
  /** The signed-in user, by impersonation with user and groups. Throws `ActorMissing` before anything leaves. */
  asActor(actor: Actor): Cluster;
  /** Dry runs as the signed-in user. Throws as `asActor`. */
  dryRunAsActor(actor: Actor): DryRunCluster;
  /**
   * Dry runs under the controller's own account, for a user who is named to the api-server's audit log. Only for what this user has the permission to make
   * the controller do: ask the api-server first. Throws as `asActor`.
   */
  dryRunAsController(actor: Actor): DryRunCluster;
  /**
   * The same as a deployer of an Environment: what helm may do there. Only for what the user may have it do, as above.
   */
  dryRunAsDeployer(actor: Actor, account: DeployerAccount): DryRunCluster;
}

/** What the api-server serves: aggregated discovery, cached, refreshed when a CRD or APIService changes. */
export interface Discovery {
  kinds(signal?: AbortSignal): Promise<readonly ServedKind[]>;
  /** The served kind of an object, in exactly its version; undefined when it is not served. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ServedKind | undefined>;
  /** Forgets what is cached. */
  invalidate(): void;
}

/** Writes Events, by which people read what happened to an object. */
export interface EventRecorder {
  /** @param event its reason is one CamelCase word, its message a sentence. */
  record(
    about: KubeObject,
    event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
  ): Promise<void>;
}

/** The catalogue resources, kept in memory by the controller's account. Nothing namespaced and private is among them. Sorted by namespace and name. */
export interface CatalogCache {
  operators(): readonly KubeObject[];
  customResourceDefinitions(): readonly KubeObject[];
  environments(): readonly KubeObject[];
  appDefinitions(): readonly KubeObject[];
  catalogSources(): readonly KubeObject[];
}

/** What a call about one object answers, or undefined when there is no such object. Any other failure is thrown. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
