import { createHash } from 'node:crypto';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KeySource } from '../../controller/controller.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';

/** An object that the values of a release come from, or another one that its resource refers to. */
export interface Reference {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** Names a reference among all of the cluster. */
export function referenceId({ type, namespace, name }: Reference): string {
  return `${type.resource}.${type.group} ${namespace}/${name}`;
}

/** The resources that refer to objects, by their keys; tells of each that may refer to others now. */
export interface Referrers extends KeySource {
  referencesOf(key: string): readonly Reference[];
}

/** Referrers of which it is known from reading them what they refer to. */
export interface KnownReferrers extends Referrers {
  remember(key: string, references: readonly Reference[]): void;
}

/** Nobody refers to anything at first. */
export function createReferrers(): KnownReferrers {
  const known = new Map<string, readonly Reference[]>();
  const listeners = new Set<(key: string) => void>();
  return {
    referencesOf: (key) => known.get(key) ?? [],
    remember: (key, references) => {
      if (references.length === 0) known.delete(key);
      else known.set(key, references);
      listeners.forEach((listener) => listener(key));
    },
    onChange: (listener) => {
      listeners.add(listener);
      known.forEach((_, key) => listener(key));
      return () => listeners.delete(listener);
    },
  };
}

/** What is watched: the metadata of the objects of one type in one namespace. */
export interface ReferencePlace {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly fieldSelector?: string;
}

/** A copy of that metadata, kept in step until its signal aborts. */
export interface ReferenceWatch extends KeySource {
  /** @param key `namespace/name` */
  get(key: string): KubeObject | undefined;
  synced(): boolean;
}

export interface ReferencesInput {
  readonly referrers: Referrers;
  readonly watch: (place: ReferencePlace, signal: AbortSignal) => ReferenceWatch;
  /** Ends all watches. */
  readonly signal: AbortSignal;
}

/** The keys of referrers of which a referenced object has changed. */
export interface References extends KeySource {
  /** A digest over the versions of references; undefined while they are not known, or when there is none. */
  revisionOf(references: readonly Reference[]): string | undefined;
  /** The keys of those that refer to an object. */
  referrersOf(reference: Reference): readonly string[];
}

/** The history of Helm is most of the Secrets of a namespace, and nobody's values. */
const WITHOUT_HELM_HISTORY = 'type!=helm.sh/release.v1';

/**
 * Watches the objects that others refer to: only in the namespaces where there are any, for as long as there are, and only their metadata, so that no content ever
 * is in memory.
 */
export function watchReferences({ referrers, watch, signal }: ReferencesInput): References {
  const listeners = new Set<(key: string) => void>();
  const byReferrer = new Map<string, readonly Reference[]>();
  const byId = new KeysById();
  const notify = (id: string): void => byId.of(id).forEach((key) => listeners.forEach((listener) => listener(key)));
  const places = watchPlaces({ watch, signal, notify });
  const follow = (key: string): void => {
    const before = byReferrer.get(key) ?? [];
    const after = referrers.referencesOf(key);
    if (before.map(referenceId).join() === after.map(referenceId).join()) return;
    byReferrer.set(key, after);
    if (after.length === 0) byReferrer.delete(key);
    for (const reference of before) byId.remove(referenceId(reference), key);
    for (const reference of after) byId.add(referenceId(reference), key);
    for (const reference of after) places.open(reference, key);
    const kept = new Set(after.map(placeId));
    for (const reference of before.filter((one) => !kept.has(placeId(one)))) places.close(reference, key);
  };
  const unfollow = referrers.onChange(follow);
  signal.addEventListener('abort', unfollow, { once: true });
  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revisionOf: (references) => revisionOf(references, places.watchOf),
    referrersOf: (reference) => byId.of(referenceId(reference)),
  };
}

interface Places {
  /** Watches the place of a reference, on behalf of a referrer. */
  open(reference: Reference, referrer: string): void;
  /** Ends the watch when that was the last referrer. */
  close(reference: Reference, referrer: string): void;
  watchOf(reference: Reference): ReferenceWatch | undefined;
}

interface PlacesInput extends Omit<ReferencesInput, 'referrers'> {
  /** Takes note of what changed, by its `referenceId`. */
  readonly notify: (id: string) => void;
}

function watchPlaces({ watch, signal, notify }: PlacesInput): Places {
  const referrers = new KeysById();
  const open = new Map<string, { readonly watch: ReferenceWatch; readonly stop: AbortController }>();
  return {
    open: (reference, referrer) => {
      const id = placeId(reference);
      referrers.add(id, referrer);
      if (open.has(id)) return;
      const stop = new AbortController();
      const started = watch(placeOf(reference), AbortSignal.any([signal, stop.signal]));
      open.set(id, { watch: started, stop });
      started.onChange((key) => notify(`${id.split(' ')[0] ?? ''} ${key}`));
    },
    close: (reference, referrer) => {
      const id = placeId(reference);
      referrers.remove(id, referrer);
      if (referrers.of(id).length > 0) return;
      open.get(id)?.stop.abort();
      open.delete(id);
    },
    watchOf: (reference) => open.get(placeId(reference))?.watch,
  };
}

function revisionOf(references: readonly Reference[], watchOf: (reference: Reference) => ReferenceWatch | undefined): string | undefined {
  if (references.length === 0) return undefined;
  const versions: string[] = [];
  for (const reference of references) {
    const watch = watchOf(reference);
    if (watch?.synced() !== true) return undefined;
    const { uid = 'absent', resourceVersion = '' } = watch.get(`${reference.namespace}/${reference.name}`)?.metadata ?? {};
    versions.push(`${referenceId(reference)} ${uid}/${resourceVersion}`);
  }
  return createHash('sha256').update(versions.join('\n')).digest('hex').slice(0, 16);
}

/** Which referrers have to do with something. */
class KeysById {
  readonly #byId = new Map<string, Set<string>>();

  of(id: string): readonly string[] {
    return [...(this.#byId.get(id) ?? [])];
  }

  add(id: string, key: string): void {
    this.#byId.set(id, (this.#byId.get(id) ?? new Set()).add(key));
  }

  remove(id: string, key: string): void {
    const keys = this.#byId.get(id);
    keys?.delete(key);
    if (keys?.size === 0) this.#byId.delete(id);
  }
}

function placeId({ type, namespace }: Reference): string {
  return `${type.resource}.${type.group} ${namespace}`;
}

function placeOf({ type, namespace }: Reference): ReferencePlace {
  return { type, namespace, ...(type.group === '' && type.resource === SECRET.resource ? { fieldSelector: WITHOUT_HELM_HISTORY } : {}) };
}
