import type { ListOptions, ObjectList } from '../domain/cluster.ts';
import { AppError, isAppError } from '../domain/errors.ts';
import { listAt, textAt } from '../domain/read.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType, type ServedKind } from '../domain/resource.ts';
import { callFor } from './call.ts';
import { resourcePath } from './paths.ts';
import type { Caller } from './transport.ts';

const PAGE = 500;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** How the pages are asked for, and what the items are called. */
interface Reading {
  readonly accept: string;
  /** The kind of the items; lists of built-in kinds leave it out. */
  readonly kind: string | undefined;
}

/** All objects of a type, page after page. */
export function listPages(deps: Caller, type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
  return listAll(deps, type, { options, reading: { accept: 'application/json', kind: undefined } });
}

/** The metadata of all objects of a kind, page after page. */
export function listMetadataPages(deps: Caller, served: ServedKind, options: ListOptions): Promise<ObjectList> {
  return listAll(deps, served, { options, reading: { accept: METADATA_ONLY, kind: served.kind } });
}

interface Listing {
  readonly options: ListOptions;
  readonly reading: Reading;
}

async function listAll(deps: Caller, type: ResourceType, listing: Listing): Promise<ObjectList> {
  try {
    return await listWith(deps, type, { ...listing, limit: PAGE });
  } catch (error) {
    // The pages ran out of time (410): the whole list at once cannot.
    if (!isAppError(error, 'Conflict')) throw error;
    return listWith(deps, type, { ...listing, limit: undefined });
  }
}

async function listWith(deps: Caller, type: ResourceType, listing: Listing & { limit: number | undefined }): Promise<ObjectList> {
  const { options, reading, limit } = listing;
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const place = { ...type, namespace };
  const items: KubeObject[] = [];
  for (let next: string | undefined; ;) {
    const { body } = await deps.transport.request({
      ...callFor(deps.identity, 'list', place),
      method: 'GET',
      path: resourcePath(place, { labelSelector, fieldSelector, limit, continue: next }),
      accept: reading.accept,
      signal,
    });
    items.push(...itemsOf(body, type, reading));
    next = textAt(body, 'metadata', 'continue') || undefined;
    if (next === undefined) return { items, resourceVersion: textAt(body, 'metadata', 'resourceVersion') ?? '' };
  }
}

function itemsOf(body: unknown, type: ResourceType, reading: Reading): KubeObject[] {
  const listKind = textAt(body, 'kind');
  if (listKind === undefined)
    throw new AppError('ClusterUnavailable', `list ${type.resource}: the answer is no list; is this a Kubernetes api-server?`);
  const apiVersion = apiVersionOf(type);
  const kind = reading.kind ?? listKind.replace(/List$/, '');
  return listAt(body, 'items')
    .filter(hasMetadata)
    .map((item) => (reading.kind === undefined ? { apiVersion, kind, ...item } : { ...item, apiVersion, kind }));
}

function hasMetadata(item: unknown): item is { readonly metadata: ObjectMeta } {
  return textAt(item, 'metadata', 'name') !== undefined;
}
