import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../../domain/core/backoff.ts';
import { type Cluster, endsInitialEvents, type ListOptions, type ObjectList, type WatchEvent } from '../../domain/kubernetes/cluster.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { keyOf, type KubeObject, type ObjectMeta, type ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Log } from '../../observe/log.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';

export interface ReflectorOptions {
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** What of an object is held; default: all of it. */
  readonly keep?: (object: KubeObject) => KubeObject;
  /** Lists page by page, so that of one page what is not held is gone before the next one comes; default: all at once. */
  readonly pages?: (scope: ListOptions) => AsyncIterable<ObjectList>;
  /** `Streamed`: the list comes as the first events of the watch, if the api-server offers that. */
  readonly list?: 'Streamed';
  /** Whether an error ends it, as its signal does; default: none does. */
  readonly endsWith?: (error: unknown) => boolean;
  readonly random?: () => number;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A copy in memory of all objects of a type, kept in step by list and watch for as long as its signal lives. */
export interface Reflector extends Pick<ObjectStore, 'all' | 'get' | 'onChange'> {
  /** Whether everything has been listed, and the type is still served. */
  synced(): boolean;
  /** What goes wrong with listing and watching, and since when (milliseconds on the clock of `now`); undefined while nothing does. */
  failing(): Failing | undefined;
  /** Resolves when everything has been listed. @throws the signal's reason when it aborts before. */
  waitForSync(signal: AbortSignal): Promise<void>;
}

export interface Failing {
  readonly since: number;
  readonly why: string;
}

const BACKOFF = { first: 200, longest: 5_000 };
/** How soon a type that is not served is looked for again: its CRD may be on its way. */
const NOT_SERVED_MS = 500;
/** A watch that lived this long was a good one: what breaks after it begins with the shortest delay again. */
const GOOD_WATCH_MS = 10_000;

/** Starts keeping a copy. The cluster may be away: it is asked again until it answers. */
export function startReflector(options: ReflectorOptions): Reflector {
  const store = createObjectStore(options.keep ?? ((object) => object));
  const first = Promise.withResolvers<void>();
  let synced = false;
  let failing: Failing | undefined;
  const { now = () => performance.now() } = options;
  const listed = (): void => {
    synced = true;
    failing = undefined;
    first.resolve();
  };
  const failed = (why: string, served: 'served' | 'not served'): void => {
    synced &&= served === 'served';
    failing ??= { since: now(), why };
  };
  void reflect(options, store, { listed, failed });
  return {
    all: store.all,
    get: store.get,
    onChange: store.onChange,
    synced: () => synced,
    failing: () => failing,
    waitForSync: (signal) => Promise.race([first.promise, abortOf(signal)]),
  };
}

interface Outcome {
  readonly listed: () => void;
  readonly failed: (why: string, served: 'served' | 'not served') => void;
}

/** Lists and watches until the signal aborts; never throws. */
async function reflect(options: ReflectorOptions, store: ObjectStore, { listed, failed }: Outcome): Promise<void> {
  const { signal, log, type, random = Math.random, now = () => performance.now(), wait = pause } = options;
  for (let failures = 0; !signal.aborted;) {
    const started = now();
    try {
      await listAndWatch(options, store, listed);
    } catch (error) {
      if (signal.aborted || options.endsWith?.(error) === true) return;
      const notServed = isAppError(error, 'NotFound');
      failed(messageOf(error), notServed ? 'not served' : 'served');
      if (notServed) store.retain(new Set());
      failures = now() - started > GOOD_WATCH_MS ? 1 : failures + 1;
      const delay = notServed ? NOT_SERVED_MS : backoffDelay(failures, BACKOFF, random());
      // A version that is too old is how an api-server asks for a new list.
      const isUsual = notServed || isAppError(error, 'Conflict');
      log[isUsual ? 'debug' : 'warn']('Watching failed; trying again', { resource: type.resource, why: messageOf(error), delay });
      await wait(delay, signal);
    }
  }
}

async function listAndWatch(options: ReflectorOptions, store: ObjectStore, listed: () => void): Promise<void> {
  const { cluster, type, signal, namespace, labelSelector, fieldSelector } = options;
  const scope = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    signal,
  };
  if (options.list === 'Streamed' && (await followAll(store, cluster.watch(type, scope), listed)) === 'Followed') return;
  const resourceVersion = await fill(store, options.pages?.(scope) ?? [await cluster.list(type, scope)]);
  listed();
  for await (const event of cluster.watch(type, { ...scope, resourceVersion })) take(store, event);
}

/** Follows a watch that begins with a list. */
async function followAll(store: ObjectStore, events: AsyncIterable<WatchEvent>, listed: () => void): Promise<'Followed' | 'NotOffered'> {
  let keys: Set<string> | undefined = new Set();
  try {
    for await (const event of events) {
      take(store, event);
      keys?.add(keyOf(event.object));
      if (keys === undefined || !endsInitialEvents(event)) continue;
      store.retain(keys);
      keys = undefined;
      listed();
    }
    return 'Followed';
  } catch (error) {
    if (keys !== undefined && isAppError(error, 'InvalidInput')) return 'NotOffered';
    throw error;
  }
}

function take(store: ObjectStore, { type, object }: WatchEvent): void {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      store.set(object);
      break;
    case 'DELETED':
      store.delete(object);
      break;
    case 'BOOKMARK':
      break;
  }
}

/** Brings the store to what the pages hold. @returns the version from which to watch. */
async function fill(store: ObjectStore, pages: AsyncIterable<ObjectList> | Iterable<ObjectList>): Promise<string> {
  const keys = new Set<string>();
  let version = '';
  for await (const { items, resourceVersion } of pages) {
    for (const object of items) {
      keys.add(keyOf(object));
      store.set(object);
    }
    version = resourceVersion;
  }
  store.retain(keys);
  return version;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  // An abort only ends the wait early; the loop looks at the signal itself.
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

export interface MetadataReflectorOptions extends Omit<ReflectorOptions, 'cluster'> {
  readonly cluster: Pick<Cluster, 'listMetadata' | 'watchMetadata'>;
}

/** A copy of which objects of a type there are, and in which version. Content never is in memory, and of the metadata only what `keep` says: by default no labels. */
export function startMetadataReflector({ cluster, keep = nameAndVersion, ...options }: MetadataReflectorOptions): Reflector {
  const metadata = { list: cluster.listMetadata, watch: cluster.watchMetadata };
  return startReflector({ ...options, cluster: metadata, keep });
}

const PATIENCE_MS = 30_000;

/** Resolves when everything has been listed, or after half a minute, or when the signal aborts. */
export async function waitForLists(reflectors: readonly Pick<Reflector, 'waitForSync'>[], signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  await Promise.all(reflectors.map((reflector) => reflector.waitForSync(patience))).catch(() => undefined);
}

/** The identity and the version of an object. @param more other metadata to keep. */
export function nameAndVersion({ apiVersion, kind, metadata }: KubeObject, more: Partial<ObjectMeta> = {}): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...more,
    },
  };
}
