import type { ListOptions, ObjectList, ObjectPage } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { callFor, resourcePath } from '../transport/call.ts';
import type { Caller } from '../transport/transport.ts';

const PAGE = 500;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** How the pages are asked for, and what the items are called. */
export interface Reading {
  readonly accept: string;
  /** The kind of the items; lists of built-in kinds leave it out. */
  readonly kind: string | undefined;
}

export const WHOLE: Reading = { accept: 'application/json', kind: undefined };

export function metadataReading({ kind }: ServedKind): Reading {
  return { accept: METADATA_ONLY, kind };
}

/** All objects of a type, page after page. */
export function listPages(deps: Caller, type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
  return listAll(deps, type, { options, reading: WHOLE });
}

/** The metadata of all objects of a kind, page after page. */
export function listMetadataPages(deps: Caller, served: ServedKind, options: ListOptions): Promise<ObjectList> {
  return listAll(deps, served, { options, reading: metadataReading(served) });
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

async function listWith(deps: Caller, type: ResourceType, paging: Paging): Promise<ObjectList> {
  const items: KubeObject[] = [];
  const { keep = (object: KubeObject) => object } = paging.options;
  let version = '';
  for await (const page of readPages(deps, type, paging)) {
    for (const item of page.items) items.push(keep(item));
    version = page.resourceVersion;
  }
  return { items, resourceVersion: version };
}

interface Paging extends Listing {
  /** Objects of a page at most; undefined for all at once. */
  readonly limit: number | undefined;
}

/** The objects of a type, page after page. @throws AppError `Conflict` when the pages ran out of time (410). */
export async function* readPages(deps: Caller, type: ResourceType, { options, reading, limit }: Paging): AsyncGenerator<ObjectPage> {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const place = { ...type, namespace };
  for (let next: string | undefined; ;) {
    const { body } = await deps.transport.request({
      ...callFor(deps.identity, 'list', place),
      method: 'GET',
      path: resourcePath(place, { labelSelector, fieldSelector, limit, continue: next }),
      accept: reading.accept,
      signal,
    });
    next = textAt(body, 'metadata', 'continue') || undefined;
    yield {
      items: itemsOf(body, type, reading),
      resourceVersion: textAt(body, 'metadata', 'resourceVersion') ?? '',
      remaining: numberAt(body, 'metadata', 'remainingItemCount') ?? 0,
    };
    if (next === undefined) return;
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
