import { parseJson } from '../../domain/core/exact-json.ts';
import {
  endsInitialEvents,
  type ListOptions,
  type ObjectList,
  type ObjectPage,
  type WatchEvent,
  type WatchOptions,
} from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { at, isObject, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { type Call, callFor, type Place, resourcePath } from '../transport/call.ts';
import { unreachable } from '../transport/status-error.ts';
import { type Caller, readLines } from '../transport/transport.ts';

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
    throw new AppError('ClusterUnavailable', `list ${type.resource}: the answer is not a list; is this a Kubernetes api-server?`);
  const apiVersion = apiVersionOf(type);
  const kind = reading.kind ?? listKind.replace(/List$/, '');
  return listAt(body, 'items')
    .filter(hasMetadata)
    .map((item) => (reading.kind === undefined ? { apiVersion, kind, ...item } : { ...item, apiVersion, kind }));
}

function hasMetadata(item: unknown): item is { readonly metadata: ObjectMeta } {
  return textAt(item, 'metadata', 'name') !== undefined;
}

const SERVER_SECONDS = 300;
/** The api-server ends watches after minutes; one that ends at once, again and again, is broken. */
const SHORTEST_MS = 1_000;

const WATCH_METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The events of a type from a version on, with the whole objects. */
export function watchEvents(deps: Caller, type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
  return follow(deps, type, { ...options, accept: 'application/json' });
}

/** The same, with their metadata alone. `apiVersion` and `kind` are those of the kind. */
export async function* watchMetadataEvents(deps: Caller, served: ServedKind, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const { kind } = served;
  const apiVersion = apiVersionOf(served);
  for await (const { type, object } of follow(deps, served, { ...options, accept: WATCH_METADATA_ONLY })) {
    yield { type, object: { ...object, apiVersion, kind } };
  }
}

const LIST_FIRST = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } as const;

interface Following extends WatchOptions {
  readonly accept: string;
}

/**
 * The events of a type from a version on, or after a list. When the api-server ends the watch, which it does every few minutes, it goes on from the last
 * version seen; versions within the list are no such place, because the list has no order.
 */
async function* follow(deps: Caller, type: ResourceType, options: Following): AsyncGenerator<WatchEvent> {
  const place: Place = { ...type, namespace: options.namespace };
  const call = { ...callFor(deps.identity, 'watch', place), method: 'GET', accept: options.accept, signal: options.signal } as const;
  let { resourceVersion } = options;
  while (!options.signal.aborted) {
    const started = performance.now();
    const path = resourcePath(place, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: SERVER_SECONDS,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      ...(resourceVersion === undefined ? LIST_FIRST : { resourceVersion }),
    });
    let isList = resourceVersion === undefined;
    for await (const event of untilAborted(options.signal, () => eventsOf(deps, { ...call, path }))) {
      isList &&= !endsInitialEvents(event);
      if (!isList) resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      yield event;
    }
    if (isList && !options.signal.aborted) throw new AppError('ClusterUnavailable', `${call.what}: the watch ended within its list`);
    if (!options.signal.aborted && performance.now() - started < SHORTEST_MS) {
      throw new AppError('ClusterUnavailable', `${call.what}: the cluster ended the watch at once`);
    }
  }
}

async function* eventsOf(deps: Pick<Caller, 'transport'>, call: Call): AsyncGenerator<WatchEvent> {
  const body = await deps.transport.stream(call);
  try {
    for await (const line of readLines(body)) {
      if (line.trim() !== '') yield parseEvent(call, line);
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreachable(call.what, error);
  } finally {
    body.destroy();
  }
}

/** Ends silently when the signal aborts, whatever that makes the source throw. */
async function* untilAborted<T>(signal: AbortSignal, source: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const item of source()) {
      if (signal.aborted) return;
      yield item;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function parseEvent(call: Call, line: string): WatchEvent {
  let event: unknown;
  try {
    event = parseJson(line);
  } catch (error) {
    throw new AppError('ClusterUnavailable', `${call.what}: a line of the watch is not JSON`, { cause: error });
  }
  const object = at(event, 'object');
  const type = textAt(event, 'type');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      if (isObject(object) && isObject(object['metadata'])) return { type, object: object as unknown as KubeObject };
      throw new AppError('ClusterUnavailable', `${call.what}: an event of the watch has no object`);
    case undefined:
    default:
      throw watchError(call, object);
  }
}

/** An ERROR event carries a Status; 410 asks for a new list. */
function watchError(call: Call, status: unknown): AppError {
  const code = numberAt(status, 'code') ?? 500;
  const message = textAt(status, 'message') ?? 'no reason given';
  if (code === 410) return new AppError('Conflict', `${call.what}: the requested resourceVersion is too old (410): ${message}`);
  return new AppError('ClusterUnavailable', `${call.what}: the watch broke (${code}): ${message}`);
}
