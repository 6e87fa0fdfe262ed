import type {
  AccessReviewStatus,
  ApplyOptions,
  CallOptions,
  Cluster,
  DeleteOptions,
  EvictOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  NonResourceAttributes,
  ObjectList,
  ObjectPage,
  ObjectTable,
  PageOptions,
  Patch,
  ResourceAttributes,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Written,
} from '../domain/kubernetes/cluster.ts';
import { SELF_SUBJECT_ACCESS_REVIEW } from '../domain/kubernetes/resource-types.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { at, isObject, listAt, textAt } from '../domain/core/read.ts';
import type { Json, KubeObject, ResourceRef, ResourceType, ServedKind } from '../domain/kubernetes/resource.ts';
import { callFor, type Place, type Query, resourcePath } from './transport/call.ts';
import { listMetadataPages, listPages, metadataReading, readPages, watchEvents, watchMetadataEvents, WHOLE } from './watch/list-watch.ts';
import { METADATA_OF_ONE } from './transport/dry-run-guard.ts';
import { limitOfReview } from './transport/limits-guard.ts';
import type { Answer, Caller } from './transport/transport.ts';

/** What the parts of one identity's Cluster are made of. */
export interface ClusterDeps extends Caller {
  /** The kind of a resource, from discovery. */
  readonly kindOf: (type: ResourceType, signal?: AbortSignal) => Promise<ServedKind | undefined>;
}

/** The api-server as one identity sees it. */
export function createCluster(deps: ClusterDeps): Cluster {
  return {
    get: (ref, options) => getObject(deps, ref, options),
    table: (ref, options) => readTable(deps, ref, options),
    logs: (pod, options) => readLog(deps, pod, options),
    list: (type, options) => listPages(deps, type, options),
    listMetadata: (type, options) => listMetadata(deps, type, options),
    pages: (type, options) => pagesOf(deps, type, options),
    create: (type, object, options) => createObject(deps, type, { object, options }),
    apply: (type, object, options) => applyObject(deps, type, { object, options }),
    applyStatus: (type, object, options) => applyObject(deps, type, { object, options: { ...options, subresource: 'status' } }),
    replace: (type, object, options) => replaceObject(deps, type, { object, options }),
    patch: (ref, patch, options) => patchObject(deps, ref, { patch, options }),
    delete: (ref, options) => deleteObject(deps, ref, options),
    evict: (pod, options) => evictPod(deps, pod, options),
    watch: (type, options) => watchEvents(deps, type, options),
    watchMetadata: (type, options) => watchMetadata(deps, type, options),
    review: (permission, options) => reviewAccess(deps, permission, options),
  };
}

async function getObject(deps: ClusterDeps, ref: ResourceRef, { signal, subresource, answer }: GetOptions = {}): Promise<KubeObject> {
  const place: Place = { ...ref, subresource };
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'get', place),
    method: 'GET',
    path: resourcePath(place),
    ...acceptOf(answer === undefined ? {} : { answer }),
    signal,
  });
  return objectOf(body);
}

async function readTable(deps: ClusterDeps, ref: ResourceRef, { signal }: CallOptions = {}): Promise<ObjectTable> {
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'get', ref),
    method: 'GET',
    path: resourcePath(ref, { includeObject: 'None' }),
    accept: TABLE,
    signal,
  });
  const columns = listAt(body, 'columnDefinitions').map((one) => ({
    name: textAt(one, 'name') ?? '',
    type: textAt(one, 'type') ?? '',
    description: textAt(one, 'description') ?? '',
  }));
  return { columns, cells: listAt(body, 'rows', 0, 'cells') };
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

async function readLog(deps: ClusterDeps, pod: ResourceRef, { signal, previous, ...options }: LogOptions): Promise<string> {
  const place: Place = { ...pod, subresource: 'log' };
  const query: Query = { ...options, timestamps: 'true', ...(previous === true ? { previous: 'true' } : {}) };
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'get', place),
    method: 'GET',
    path: resourcePath(place, query),
    accept: 'text/plain, application/json',
    parse: 'text',
    signal,
  });
  return typeof body === 'string' ? body : '';
}

async function listMetadata(deps: ClusterDeps, type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
  return listMetadataPages(deps, await servedKind(deps, type, options.signal), options);
}

async function* watchMetadata(deps: ClusterDeps, type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
  yield* watchMetadataEvents(deps, await servedKind(deps, type, options.signal), options);
}

async function* pagesOf(deps: ClusterDeps, type: ResourceType, { content, size, ...options }: PageOptions): AsyncGenerator<ObjectPage> {
  const reading = content === 'whole' ? WHOLE : metadataReading(await servedKind(deps, type, options.signal));
  yield* readPages(deps, type, { options, reading, limit: size });
}

async function servedKind(deps: ClusterDeps, type: ResourceType, signal: AbortSignal | undefined): Promise<ServedKind> {
  const served = await deps.kindOf(type, signal);
  if (served !== undefined) return served;
  throw new AppError('NotFound', `list ${type.resource}.${type.group}: the cluster does not serve ${type.version} of it`);
}

interface Write<O> {
  readonly object: KubeObject;
  readonly options: O;
}

async function createObject(deps: ClusterDeps, type: ResourceType, { object, options }: Write<WriteOptions | undefined>): Promise<Written> {
  const { namespace, name } = object.metadata;
  const collection: Place = { ...type, namespace };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'create', { ...collection, name: name === '' ? undefined : name }),
    method: 'POST',
    path: resourcePath(collection, writeQuery(options)),
    body: object,
    signal: options?.signal,
  });
  return writtenOf(answer);
}

async function applyObject(deps: ClusterDeps, type: ResourceType, { object, options }: Write<ApplyOptions>): Promise<Written> {
  const place = placeOf(type, object, options.subresource);
  // Server-side apply rejects managedFields, and a uid or version would make it fail on an object that was made anew.
  const { managedFields: _fields, ...metadata } = object.metadata;
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'patch', place),
    method: 'PATCH',
    path: resourcePath(place, { ...writeQuery(options), force: options.force === 'force' ? 'true' : undefined }),
    ...acceptOf(options),
    contentType: 'application/apply-patch+yaml',
    body: { ...object, metadata },
    signal: options.signal,
  });
  return writtenOf(answer);
}

async function replaceObject(
  deps: ClusterDeps,
  type: ResourceType,
  { object, options }: Write<WriteOptions | undefined>,
): Promise<Written> {
  const place = placeOf(type, object, options?.subresource);
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'update', place),
    method: 'PUT',
    path: resourcePath(place, writeQuery(options)),
    body: object,
    signal: options?.signal,
  });
  return writtenOf(answer);
}

async function patchObject(
  deps: ClusterDeps,
  ref: ResourceRef,
  { patch, options }: { patch: Patch; options: WriteOptions | undefined },
): Promise<Written> {
  const place: Place = { ...ref, subresource: options?.subresource };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'patch', place),
    method: 'PATCH',
    path: resourcePath(place, writeQuery(options)),
    ...acceptOf(options),
    contentType: patch.type === 'json' ? 'application/json-patch+json' : 'application/merge-patch+json',
    body: patch.body,
    signal: options?.signal,
  });
  return writtenOf(answer);
}

async function deleteObject(deps: ClusterDeps, ref: ResourceRef, options: DeleteOptions = {}): Promise<void> {
  const { propagation, uid, resourceVersion, dryRun, signal } = options;
  await deps.transport.request({
    ...callFor(deps.identity, 'delete', ref),
    method: 'DELETE',
    path: resourcePath(ref),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: propagation ?? 'Background',
      ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
      ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
    },
    signal,
  });
}

async function evictPod(deps: ClusterDeps, pod: ResourceRef, options: EvictOptions = {}): Promise<void> {
  const { uid, resourceVersion, dryRun, signal } = options;
  const place: Place = { ...pod, subresource: 'eviction' };
  const deleteOptions = {
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
  };
  try {
    await deps.transport.request({
      ...callFor(deps.identity, 'create', place),
      method: 'POST',
      path: resourcePath(place, { dryRun }),
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.name, namespace: pod.namespace }, deleteOptions },
      signal,
    });
  } catch (error) {
    throw budgetError(error) ?? error;
  }
}

/** The api-server says 429 as long as a budget does not allow the eviction, and 500 where several budgets select the pod. */
function budgetError(error: unknown): AppError | undefined {
  if (!isAppError(error, 'TooManyRequests', 'ClusterUnavailable') || !/disruption ?budget/i.test(error.message)) return undefined;
  const why = error.faults[0]?.message ?? error.message;
  return new AppError('DisruptionBudget', `${error.message.split(': ')[0] ?? 'evict'}: ${why}`, { cause: error, faults: error.faults });
}

/** SelfSubjectAccessReview. */
export async function reviewAccess(
  deps: Caller,
  permission: ResourceAttributes | NonResourceAttributes,
  options: CallOptions = {},
): Promise<AccessReviewStatus> {
  const place: Place = SELF_SUBJECT_ACCESS_REVIEW;
  const spec = 'path' in permission ? { nonResourceAttributes: permission } : { resourceAttributes: permission };
  const beyond = 'path' in permission ? undefined : limitOfReview(deps.identity, permission);
  if (beyond !== undefined) return { allowed: false, reason: beyond };
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'create', place),
    // A person did not ask for a review, but for something that needs one.
    what: 'check of your permissions',
    method: 'POST',
    path: resourcePath(place),
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec },
    signal: options.signal,
  });
  return { allowed: at(body, 'status', 'allowed') === true, reason: textAt(body, 'status', 'reason') ?? '' };
}

function placeOf(type: ResourceType, object: KubeObject, subresource?: string): Place {
  return { ...type, namespace: object.metadata.namespace, name: object.metadata.name, subresource };
}

function writeQuery(options: WriteOptions = {}): Query {
  return { dryRun: options.dryRun, fieldManager: options.fieldManager, fieldValidation: options.fieldValidation ?? 'Strict' };
}

function acceptOf({ answer }: WriteOptions = {}): { readonly accept?: string } {
  return answer === 'metadata' ? { accept: METADATA_OF_ONE } : {};
}

function writtenOf({ body, warnings }: Answer): Written {
  return { object: objectOf(body), warnings };
}

/** What the api-server says is an object is one; anything else is no api-server. */
function objectOf(body: Json): KubeObject {
  if (isObject(body) && isObject(body['metadata'])) return body as unknown as KubeObject;
  throw new AppError('ClusterUnavailable', 'cluster: the answer is not a Kubernetes object; is this a Kubernetes api-server?');
}
