import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import {
  type Cluster,
  type Clusters,
  endsInitialEvents,
  type ListOptions,
  type ObjectList,
  type WatchEvent,
  type WatchOptions,
} from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { createCompactor } from '../../domain/kubernetes/compact-object.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Log } from '../../observe/log.ts';
import { Admissions } from './admissions.ts';
import { startReflector, type Reflector } from './reflector.ts';

/** What is no object of a namespace, such as an Environment, is read again after so long. */
const READ_MS = 5_000;

/** Reads for people who look at a page that follows the cluster. */
export interface SharedWatches {
  /** Begins to look as an actor; what that needs of watches ends with the signal. `changed` is called whenever an object that was read may be different. */
  open(actor: Actor, looking: Looking): WatchedCluster;
}

export interface Looking {
  readonly signal: AbortSignal;
  readonly changed: () => void;
}

/**
 * The api-server as one actor sees it, whose lists of whole namespaces come, for the types that are followed, from watches that everybody shares who looks at that namespace. Nobody gets what they may
 * not list: for each kind the api-server says as the actor whether they may (SelfSubjectAccessReview), which holds for nine seconds. A watch is made
 * as one of those who look and may watch; when they leave or may no longer, another one of them takes over where it was.
 */
export interface WatchedCluster {
  readonly cluster: Cluster;
  /** Has the lists of this type come from a watch from now on. Returns whether they did not before. */
  follow(type: ResourceType): boolean;
  /** Ends that. */
  release(type: ResourceType): void;
  /** Whether a change of such an object would be noticed. */
  isWatched(type: ResourceType): boolean;
}

export function createSharedWatches(clusters: Pick<Clusters, 'asActor'>, log: Log): SharedWatches {
  const watches = new Map<string, SharedWatch>();
  const admissions = new Admissions();
  return {
    open: (actor, looking) => {
      const looker = new Looker({ actor, cluster: clusters.asActor(actor), looking, watches, admissions, log });
      looking.signal.addEventListener('abort', () => looker.leave(), { once: true });
      return {
        cluster: looker.watched(),
        follow: (type) => looker.follow(type),
        release: (type) => looker.release(type),
        isWatched: (type) => looker.isWatched(type),
      };
    },
  };
}

interface LookerInput {
  readonly actor: Actor;
  readonly cluster: Cluster;
  readonly looking: Looking;
  readonly watches: Map<string, SharedWatch>;
  readonly admissions: Admissions;
  readonly log: Log;
}

/** One actor who looks. */
class Looker {
  readonly #input: LookerInput;
  /** By type, which every reading asks for each kind, and then by place. */
  readonly #held = new Map<string, Map<string, SharedWatch>>();
  readonly #followed = new Set<string>();
  /** What this actor may list but not watch, or what cannot be watched. */
  readonly #unwatchable = new Set<string>();
  readonly #reads = new LRUCache<string, Promise<KubeObject>>({ max: 50, ttl: READ_MS });

  constructor(input: LookerInput) {
    this.#input = input;
  }

  get cluster(): Cluster {
    return this.#input.cluster;
  }

  changed(): void {
    this.#input.looking.changed();
  }

  watched(): Cluster {
    const { cluster } = this.#input;
    return {
      ...cluster,
      list: async (type, options = {}) =>
        await this.#list({ type, content: 'whole' }, options, async () => await cluster.list(type, options)),
      listMetadata: async (type, options = {}) =>
        await this.#list({ type, content: 'metadata' }, options, async () => await cluster.listMetadata(type, options)),
      get: async (ref, options) => await this.#get(ref, async () => await cluster.get(ref, options)),
    };
  }

  follow(type: ResourceType): boolean {
    const before = this.#followed.size;
    return this.#followed.add(keyOfType(type)).size > before;
  }

  isWatched(type: ResourceType): boolean {
    return this.#held.has(keyOfType(type));
  }

  release(type: ResourceType): void {
    this.#followed.delete(keyOfType(type));
    for (const watch of this.#held.get(keyOfType(type))?.values() ?? []) this.#drop(watch);
  }

  leave(): void {
    for (const watch of [...this.#held.values()].flatMap((ofType) => [...ofType.values()])) this.#drop(watch);
  }

  async #list(what: Listed, options: ListOptions, plain: () => Promise<ObjectList>): Promise<ObjectList> {
    const { namespace, labelSelector, fieldSelector, signal } = options;
    if (namespace === undefined || labelSelector !== undefined || fieldSelector !== undefined) return await plain();
    if (!this.#followed.has(keyOfType(what.type))) return await plain();
    const place: WatchedPlace = { ...what, namespace };
    if (this.#unwatchable.has(keyOfPlace(place))) return await plain();
    const whole = this.#input.watches.get(keyOfPlace({ ...place, content: 'whole' }));
    const watch = await this.#join(whole === undefined ? place : whole.place);
    try {
      const items = await watch.items(signal);
      return { items, resourceVersion: '' };
    } catch (error) {
      if (!isAppError(error, 'Forbidden', 'MethodNotAllowed')) throw error;
      this.#unwatchable.add(keyOfPlace(place));
      this.#drop(watch);
      return await plain();
    }
  }

  /** Whoever may not list it is no holder, not even the first one: a watch answers all of them, as whomever it was made. */
  async #join(place: WatchedPlace): Promise<SharedWatch> {
    const { watches, admissions, log } = this.#input;
    const key = keyOfPlace(place);
    const { group, resource } = place.type;
    await admissions.require(this.#input, { verb: 'list', group, resource, namespace: place.namespace }).catch((error: unknown) => {
      this.#release(place);
      throw error;
    });
    if (this.#input.looking.signal.aborted) throw new AppError('ClusterUnavailable', `watch ${resource}: its last client is gone`);
    const watch = watches.get(key) ?? new SharedWatch(place, { log, first: this, ended: () => watches.delete(key) });
    watches.set(key, watch);
    this.#hold(watch);
    if (place.content === 'whole') this.#release({ ...place, content: 'metadata' });
    return watch;
  }

  async #get(ref: ResourceRef, plain: () => Promise<KubeObject>): Promise<KubeObject> {
    const { namespace, name } = ref;
    if (namespace === undefined) return await this.#remembered(stringifyJson(ref), plain);
    const watch = this.#heldAt({ type: ref, namespace, content: 'whole' });
    if (watch === undefined || !watch.isSynced()) return await plain();
    const { group, resource } = ref;
    await this.#input.admissions.require(this.#input, { verb: 'get', group, resource, namespace, name });
    return watch.get(`${namespace}/${name}`) ?? (await plain());
  }

  async #remembered(key: string, plain: () => Promise<KubeObject>): Promise<KubeObject> {
    const reading = this.#reads.get(key) ?? plain();
    this.#reads.set(key, reading);
    reading.catch(() => this.#reads.delete(key));
    return await reading;
  }

  #release(place: WatchedPlace): void {
    const watch = this.#heldAt(place);
    if (watch !== undefined) this.#drop(watch);
  }

  #heldAt(place: WatchedPlace): SharedWatch | undefined {
    return this.#held.get(keyOfType(place.type))?.get(keyOfPlace(place));
  }

  #hold(watch: SharedWatch): void {
    const type = keyOfType(watch.place.type);
    const ofType = this.#held.get(type) ?? new Map<string, SharedWatch>();
    this.#held.set(type, ofType.set(keyOfPlace(watch.place), watch));
    watch.hold(this);
  }

  #drop(watch: SharedWatch): void {
    const type = keyOfType(watch.place.type);
    const ofType = this.#held.get(type);
    ofType?.delete(keyOfPlace(watch.place));
    if (ofType?.size === 0) this.#held.delete(type);
    watch.unsubscribe(this);
  }
}

interface Listed {
  readonly type: ResourceType;
  readonly content: 'whole' | 'metadata';
}

interface WatchedPlace extends Listed {
  readonly namespace: string;
}

function keyOfPlace({ type, namespace, content }: WatchedPlace): string {
  return `${content} ${keyOfType(type)} ${namespace}`;
}

function keyOfType({ group, version, resource }: ResourceType): string {
  return `${resource}.${version}.${group}`;
}

interface SharedWatchOptions {
  readonly log: Log;
  /** Who looks first. */
  readonly first: Looker;
  /** Is called when it holds nothing any more. */
  readonly ended: () => void;
}

/** One kind of one namespace, kept in step by one watch for all who hold it. It ends when nobody does. */
class SharedWatch {
  readonly place: WatchedPlace;
  readonly #over = new AbortController();
  readonly #holders = new Map<Looker, 'Fit' | 'Unfit'>();
  readonly #reflector: Reflector;
  readonly #failed = Promise.withResolvers<never>();
  readonly #ended: () => void;
  #leader: { readonly looker: Looker; readonly turn: AbortController } | undefined;

  constructor(place: WatchedPlace, { log, first, ended }: SharedWatchOptions) {
    this.place = place;
    this.#ended = ended;
    this.#failed.promise.catch(() => undefined);
    this.hold(first);
    this.#reflector = startReflector({
      cluster: { list: async (type, options) => await this.#list(type, options), watch: (type, options) => this.#watch(type, options) },
      type: place.type,
      namespace: place.namespace,
      list: 'Streamed',
      keep: createCompactor(),
      endsWith: (error) => this.#endsWith(error),
      signal: this.#over.signal,
      log,
    });
    this.#reflector.onChange(() => {
      if (this.#reflector.synced()) for (const looker of this.#holders.keys()) looker.changed();
    });
  }

  hold(looker: Looker): void {
    if (!this.#holders.has(looker)) this.#holders.set(looker, 'Fit');
  }

  unsubscribe(looker: Looker): void {
    this.#holders.delete(looker);
    if (this.#holders.size === 0) this.#end();
    else if (this.#leader?.looker === looker) this.#leader.turn.abort();
  }

  isSynced(): boolean {
    return this.#reflector.synced();
  }

  get(key: string): KubeObject | undefined {
    return this.#reflector.get(key);
  }

  /** @throws what the first list throws, or the signal's reason. */
  async items(signal: AbortSignal = this.#over.signal): Promise<readonly KubeObject[]> {
    if (!this.#reflector.synced()) await Promise.race([this.#reflector.waitForSync(signal), this.#failed.promise]);
    return this.#reflector.all();
  }

  async #list(type: ResourceType, options?: ListOptions): Promise<ObjectList> {
    return await this.#asSomebody(async ({ cluster }) =>
      this.place.content === 'whole' ? await cluster.list(type, options) : await cluster.listMetadata(type, options),
    );
  }

  /** The events as one of the holders, and then as another one from where the first one was. */
  async *#watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
    let { resourceVersion } = options;
    while (!options.signal.aborted) {
      const leader = this.#lead();
      const signal = AbortSignal.any([options.signal, leader.turn.signal]);
      const from = { ...options, signal, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      const { cluster } = leader.looker;
      let isList = resourceVersion === undefined;
      try {
        for await (const event of this.place.content === 'whole' ? cluster.watch(type, from) : cluster.watchMetadata(type, from)) {
          isList &&= !endsInitialEvents(event);
          if (!isList) resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          yield event;
        }
      } catch (error) {
        if (!isAppError(error, 'Forbidden') || !this.#isReplaced(leader.looker)) throw error;
      }
    }
  }

  async #asSomebody<T>(ask: (looker: Looker) => Promise<T>): Promise<T> {
    for (;;) {
      const { looker } = this.#lead();
      try {
        return await ask(looker);
      } catch (error) {
        if (!isAppError(error, 'Forbidden') || !this.#isReplaced(looker)) throw error;
      }
    }
  }

  #lead(): { readonly looker: Looker; readonly turn: AbortController } {
    const fit = [...this.#holders].find(([, state]) => state === 'Fit') ?? [...this.#holders][0];
    if (fit === undefined) throw new AppError('Forbidden', `watch ${this.place.type.resource}: none of its clients has the permission`);
    this.#leader = { looker: fit[0], turn: new AbortController() };
    return this.#leader;
  }

  /** Whether somebody else can lead in place of one who may not watch. */
  #isReplaced(looker: Looker): boolean {
    if (this.#holders.has(looker)) this.#holders.set(looker, 'Unfit');
    return [...this.#holders.values()].includes('Fit');
  }

  /** What has never been listed is not tried again by itself: whoever asks gets the error. */
  #endsWith(error: unknown): boolean {
    const isOver = !this.#reflector.synced() || isAppError(error, 'Forbidden', 'NotFound', 'MethodNotAllowed');
    if (isOver) {
      this.#failed.reject(error);
      this.#end();
      for (const looker of this.#holders.keys()) looker.changed();
    }
    return isOver;
  }

  #end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#ended();
  }
}
