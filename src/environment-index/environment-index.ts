import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Cluster, Clusters, ListOptions, ObjectList } from '../domain/kubernetes/cluster.ts';
import { parseLabelSelector } from '../domain/kubernetes/label-selector.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../domain/kubernetes/resource.ts';
import { type IndexedKind, KindIndex, type StartCopy } from './kind-index.ts';
import { ListPermissions } from './list-permissions.ts';

/** A client that follows the cluster. */
export interface Looking {
  /** Aborts when it looks no more. */
  readonly signal: AbortSignal;
  /** Is called whenever something that was read may be different now. */
  readonly changed: () => void;
}

/** The api-server as one actor, whose lists of indexed kinds come from the index. */
export interface IndexedReader {
  readonly cluster: Cluster;
  /** Has the lists of this type in this namespace come from the index from now on. Returns whether they did not before. */
  follow(type: ResourceType, namespace: string): boolean;
  /** Whether lists of it come from the index. */
  isIndexed(type: ResourceType, namespace: string): boolean;
}

/**
 * Copies of the objects of environments, each kept by one watch of the observing account as long as somebody has read it within five minutes. Each list goes to those alone to whom the
 * api-server grants it (SelfSubjectRulesReview, at most nine seconds old). Of Secrets and other kinds whose content nothing needs, the metadata alone is held.
 */
export interface EnvironmentIndex {
  /** @param looking is told of changes of what was read. */
  open(actor: Actor, looking?: Looking): IndexedReader;
  /** The same clusters; a write of a person returns when the index has seen it, so that whoever wrote reads what was written. */
  awaitWrites(clusters: Clusters): Clusters;
}

interface IndexInput {
  readonly clusters: Pick<Clusters, 'asActor'>;
  readonly startCopy: StartCopy;
  /** Ends all copies. */
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
}

/** How long who follows changes uses what is of no namespace, such as an Environment. */
const READ_MS = 5_000;
const IDLE_MS = 5 * 60_000;
const SWEEP_MS = 30_000;
const UNWATCHABLE_MS = 60_000;

export function createEnvironmentIndex({ clusters, startCopy, signal, now = () => performance.now() }: IndexInput): EnvironmentIndex {
  const kinds = new Map<string, KindIndex>();
  const permissions = new ListPermissions(now);
  /** What the observing account may not watch, which is not tried with each request. */
  const unwatchable = new LRUCache<string, true>({ max: 10_000, ttl: UNWATCHABLE_MS });
  const endIdle = (): void => {
    for (const one of kinds.values()) if (one.idle() > IDLE_MS) one.end();
  };
  const sweep = setInterval(endIdle, SWEEP_MS).unref();
  signal.addEventListener('abort', () => {
    clearInterval(sweep);
    for (const one of kinds.values()) one.end();
  });
  const indexOf = (kind: IndexedKind): KindIndex => {
    const key = keyOfKind(kind);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    const index = new KindIndex({ kind, startCopy, now, ended: () => kinds.get(key) === index && kinds.delete(key) });
    kinds.set(key, index);
    return index;
  };
  return {
    open: (actor, looking) =>
      new Reader({
        actor,
        cluster: clusters.asActor(actor),
        ...(looking === undefined ? {} : { looking }),
        kinds,
        indexOf,
        permissions,
        unwatchable,
      }),
    awaitWrites: (all) => ({
      ...all,
      asController: () => all.asController(),
      asActor: (actor) => awaitingWrites(all.asActor(actor), kinds),
    }),
  };
}

interface ReaderInput {
  readonly actor: Actor;
  readonly cluster: Cluster;
  readonly looking?: Looking;
  readonly kinds: ReadonlyMap<string, KindIndex>;
  readonly indexOf: (kind: IndexedKind) => KindIndex;
  readonly permissions: ListPermissions;
  readonly unwatchable: LRUCache<string, true>;
}

/** Followed by everybody who reads the namespace; what the observing account may not watch is read by each person. */
class Reader implements IndexedReader {
  readonly cluster: Cluster;
  readonly #input: ReaderInput;
  readonly #followed = new Set<string>();
  readonly #reads = new LRUCache<string, Promise<KubeObject>>({ max: 50, ttl: READ_MS });

  constructor(input: ReaderInput) {
    this.#input = input;
    const { cluster } = input;
    this.cluster = {
      ...cluster,
      list: async (type, options = {}) =>
        await this.#list({ type, content: 'whole' }, options, async () => await cluster.list(type, options)),
      listMetadata: async (type, options = {}) =>
        await this.#list({ type, content: 'metadata' }, options, async () => await cluster.listMetadata(type, options)),
      get: async (ref, options) => await this.#get(ref, async () => await cluster.get(ref, options)),
    };
  }

  follow(type: ResourceType, namespace: string): boolean {
    const before = this.#followed.size;
    return this.#followed.add(keyOfPlace(type, namespace)).size > before;
  }

  isIndexed(type: ResourceType, namespace: string): boolean {
    const place = keyOfPlace(type, namespace);
    return this.#followed.has(place) && !this.#input.unwatchable.has(place);
  }

  async #list(
    { type, content }: Pick<IndexedKind, 'type' | 'content'>,
    options: ListOptions,
    plain: () => Promise<ObjectList>,
  ): Promise<ObjectList> {
    const { namespace, signal } = options;
    const select = selectorOf(options);
    if (namespace === undefined || select === undefined || !this.isIndexed(type, namespace)) return await plain();
    await this.#require({ verb: 'list', type, namespace });
    const { kinds, indexOf, looking } = this.#input;
    const kind = { type, namespace, content };
    const index = kinds.get(keyOfKind({ ...kind, content: 'whole' })) ?? indexOf(kind);
    if (looking !== undefined) index.listen(looking.changed, looking.signal);
    try {
      return { items: select(await index.items(signal)), resourceVersion: '' };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (isAppError(error, 'Forbidden', 'MethodNotAllowed')) this.#input.unwatchable.set(keyOfPlace(type, namespace), true);
      return await plain();
    }
  }

  /** Who follows changes reads objects from the index, too; all others get them from the api-server. */
  async #get(ref: ResourceRef, plain: () => Promise<KubeObject>): Promise<KubeObject> {
    const { namespace, name } = ref;
    const { kinds, looking } = this.#input;
    if (looking === undefined) return await plain();
    if (namespace === undefined) return await this.#remembered(stringifyJson(ref), plain);
    const index = kinds.get(keyOfKind({ type: ref, namespace, content: 'whole' }));
    if (index?.isSynced() !== true) return await plain();
    await this.#require({ verb: 'get', type: ref, namespace, name });
    return index.get(name) ?? (await plain());
  }

  async #remembered(key: string, plain: () => Promise<KubeObject>): Promise<KubeObject> {
    const reading = this.#reads.get(key) ?? plain();
    this.#reads.set(key, reading);
    reading.catch(() => this.#reads.delete(key));
    return await reading;
  }

  async #require({ verb, type, namespace, name }: RequiredPermission): Promise<void> {
    const { group, resource } = type;
    const permission = { verb, group, resource, namespace, ...(name === undefined ? {} : { name }) };
    const { actor, cluster, permissions } = this.#input;
    if (await permissions.isAllowed({ actor, cluster }, permission)) return;
    const named = group === '' ? resource : `${resource}.${group}`;
    throw new AppError('Forbidden', `${verb} ${named} in namespace "${namespace}": the api-server does not allow it`, {
      missing: permission,
    });
  }
}

interface RequiredPermission {
  readonly verb: 'list' | 'get';
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name?: string;
}

type Select = (objects: readonly KubeObject[]) => readonly KubeObject[];

const NAME_FIELD = /^metadata\.name=([^,=!]+)$/;

/** Undefined for a field selector that needs the api-server. */
function selectorOf({ labelSelector, fieldSelector }: ListOptions): Select | undefined {
  if (labelSelector === undefined && fieldSelector === undefined) return (objects) => objects;
  const name = fieldSelector === undefined ? undefined : NAME_FIELD.exec(fieldSelector)?.[1];
  if (fieldSelector !== undefined && name === undefined) return undefined;
  const selects = labelSelector === undefined ? () => true : parseLabelSelector(labelSelector);
  return (objects) => objects.filter(({ metadata }) => (name === undefined || metadata.name === name) && selects(metadata.labels ?? {}));
}

function awaitingWrites(cluster: Cluster, kinds: ReadonlyMap<string, KindIndex>): Cluster {
  const seen = async (type: ResourceType, { metadata }: KubeObject): Promise<void> => {
    const { namespace, name, resourceVersion } = metadata;
    if (namespace === undefined || resourceVersion === undefined) return;
    await Promise.all(indexesOf(kinds, type, namespace).map(async (index) => await index.awaitObject(name, resourceVersion)));
  };
  const awaited = <A extends readonly [ResourceType, ...unknown[]]>(write: (...args: A) => ReturnType<Cluster['create']>) => {
    return async (...args: A): ReturnType<Cluster['create']> => {
      const written = await write(...args);
      const options = args.at(-1);
      const isDryRun = typeof options === 'object' && options !== null && 'dryRun' in options;
      if (!isDryRun) await seen(args[0], written.object);
      return written;
    };
  };
  return {
    ...cluster,
    create: awaited(cluster.create),
    apply: awaited(cluster.apply),
    replace: awaited(cluster.replace),
    patch: awaited(cluster.patch),
    delete: async (ref, options) => {
      await cluster.delete(ref, options);
      if (ref.namespace === undefined || options?.dryRun !== undefined) return;
      await Promise.all(indexesOf(kinds, ref, ref.namespace).map(async (index) => await index.awaitObject(ref.name, undefined)));
    },
  };
}

/** In all versions of the kind. */
function indexesOf(kinds: ReadonlyMap<string, KindIndex>, { group, resource }: ResourceType, namespace: string): KindIndex[] {
  return [...kinds.values()].filter(
    ({ kind }) => kind.namespace === namespace && kind.type.group === group && kind.type.resource === resource,
  );
}

function keyOfKind({ type, namespace, content }: IndexedKind): string {
  return `${content} ${keyOfPlace(type, namespace)}`;
}

function keyOfPlace({ group, version, resource }: ResourceType, namespace: string): string {
  return `${resource}.${version}.${group} ${namespace}`;
}
