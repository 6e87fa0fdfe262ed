import { endsInitialEvents, type WatchEvent, type WatchOptions } from '../../domain/kubernetes/cluster.ts';
import { AppError } from '../../domain/core/errors.ts';
import { parseJson } from '../../domain/core/exact-json.ts';
import { at, isObject, numberAt, textAt } from '../../domain/core/read.ts';
import { apiVersionOf, type KubeObject, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { readLines } from '../transport/body.ts';
import { type Call, callFor, type Place, resourcePath } from '../transport/call.ts';
import { unreachable } from '../transport/failure.ts';
import type { Caller } from '../transport/transport.ts';

const SERVER_SECONDS = 300;
/** The api-server ends watches after minutes; one that ends at once, again and again, is broken. */
const SHORTEST_MS = 1_000;

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The events of a type from a version on, with the whole objects. */
export function watchEvents(deps: Caller, type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
  return follow(deps, type, { ...options, accept: 'application/json' });
}

/** The same, with their metadata alone. `apiVersion` and `kind` are those of the kind. */
export async function* watchMetadataEvents(deps: Caller, served: ServedKind, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const { kind } = served;
  const apiVersion = apiVersionOf(served);
  for await (const { type, object } of follow(deps, served, { ...options, accept: METADATA_ONLY })) {
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
