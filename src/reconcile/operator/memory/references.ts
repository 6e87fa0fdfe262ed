import { createHash } from 'node:crypto';
import { CONFIG_MAP, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import type { KeySource } from '../../../controller/controller.ts';
import type { KubeObject, ResourceType } from '../../../domain/kubernetes/resource.ts';
import { idOf, referencesOf, type Reference } from './references-of.ts';

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
  readonly operators: KeySource & { get(key: string): KubeObject | undefined };
  readonly watch: (place: ReferencePlace, signal: AbortSignal) => ReferenceWatch;
  /** Ends all watches. */
  readonly signal: AbortSignal;
}

/** The keys of Operators of which a referenced object has changed. */
export interface References extends KeySource {
  /** A digest over the versions of what the Operator refers to; undefined while they are not known, or when it refers to nothing. */
  revisionOf(operator: KubeObject): string | undefined;
}

/** The history of Helm is most of the Secrets of a namespace, and nobody's values. */
const WITHOUT_HELM_HISTORY = 'type!=helm.sh/release.v1';

/**
 * Watches the Secrets and ConfigMaps that Operators refer to: only in the namespaces where there are any, for as long as there are, and only their
 * metadata, so that no content ever is in memory.
 */
export function watchReferences({ operators, watch, signal }: ReferencesInput): References {
  const listeners = new Set<(key: string) => void>();
  const byOperator = new Map<string, readonly Reference[]>();
  const referrers = new KeysById();
  const notify = (id: string): void => referrers.of(id).forEach((key) => listeners.forEach((listener) => listener(key)));
  const places = watchPlaces({ watch, signal, notify });
  const follow = (key: string): void => {
    const operator = operators.get(key);
    const before = byOperator.get(key) ?? [];
    const after = operator === undefined ? [] : referencesOf(operator);
    if (before.map(idOf).join() === after.map(idOf).join()) return;
    byOperator.set(key, after);
    if (after.length === 0) byOperator.delete(key);
    for (const reference of before) referrers.remove(idOf(reference), key);
    for (const reference of after) referrers.add(idOf(reference), key);
    for (const reference of after) places.open(reference, key);
    const kept = new Set(after.map(placeId));
    for (const reference of before.filter((one) => !kept.has(placeId(one)))) places.close(reference, key);
  };
  const unfollow = operators.onChange(follow);
  signal.addEventListener('abort', unfollow, { once: true });
  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revisionOf: (operator) => revisionOf(referencesOf(operator), places.watchOf),
  };
}

interface Places {
  /** Watches the place of a reference, on behalf of an Operator. */
  open(reference: Reference, operator: string): void;
  /** Ends the watch when that was the last Operator. */
  close(reference: Reference, operator: string): void;
  watchOf(reference: Reference): ReferenceWatch | undefined;
}

interface PlacesInput extends Omit<ReferencesInput, 'operators'> {
  /** Takes note of what changed, by its `idOf`. */
  readonly notify: (id: string) => void;
}

function watchPlaces({ watch, signal, notify }: PlacesInput): Places {
  const operators = new KeysById();
  const open = new Map<string, { readonly watch: ReferenceWatch; readonly stop: AbortController }>();
  return {
    open: (reference, operator) => {
      const id = placeId(reference);
      operators.add(id, operator);
      if (open.has(id)) return;
      const stop = new AbortController();
      const started = watch(placeOf(reference), AbortSignal.any([signal, stop.signal]));
      open.set(id, { watch: started, stop });
      started.onChange((key) => notify(`${reference.kind} ${key}`));
    },
    close: (reference, operator) => {
      const id = placeId(reference);
      operators.remove(id, operator);
      if (operators.of(id).length > 0) return;
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
    versions.push(`${idOf(reference)} ${uid}/${resourceVersion}`);
  }
  return createHash('sha256').update(versions.join('\n')).digest('hex').slice(0, 16);
}

/** Which Operators have to do with something. */
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

function placeId({ kind, namespace }: Reference): string {
  return `${kind} ${namespace}`;
}

function placeOf({ kind, namespace }: Reference): ReferencePlace {
  return kind === 'Secret' ? { type: SECRET, namespace, fieldSelector: WITHOUT_HELM_HISTORY } : { type: CONFIG_MAP, namespace };
}
