import { objectAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** What names an object in the whole cluster; `kind` is `group/Kind`. */
export interface ObjectName {
  readonly kind: string;
  /** Absent for cluster-scoped ones. */
  readonly namespace?: string;
  readonly name: string;
}

/** The objects that were read, each once, by what others may know them by. */
export interface ObjectIndex {
  readonly objects: readonly KubeObject[];
  readonly byUid: ReadonlyMap<string, KubeObject>;
  /** An object of a namespace; else the cluster-scoped one of that name. */
  find(name: ObjectName): KubeObject | undefined;
  /** The custom resources of a name. */
  customOf(name: string): readonly KubeObject[];
  /** The kinds (`group/Kind`) of a name among the objects, the core group first. */
  kindsNamed(kind: string): readonly string[];
  /** The objects of a kind in a namespace that carry a label, or all of them. */
  labelled(kind: string, namespace: string | undefined, pair?: readonly [key: string, value: string]): readonly KubeObject[];
}

/** Indexes objects; of those that come twice, such as under two API groups, the first stays. */
export function indexObjects(all: readonly KubeObject[]): ObjectIndex {
  const byUid = new Map<string, KubeObject>();
  const byName = new Map<string, KubeObject>();
  const objects: KubeObject[] = [];
  for (const object of all) {
    const uid = uidOf(object);
    const key = keyOf(nameOf(object));
    if (byName.has(key) || (uid !== '' && byUid.has(uid))) continue;
    byName.set(key, object);
    if (uid !== '') byUid.set(uid, object);
    objects.push(object);
  }
  let custom: ReadonlyMap<string, readonly KubeObject[]> | undefined;
  const byKind = Map.groupBy(objects, (object) => placeKey(kindKey(object), namespaceOf(object)));
  let kinds: ReadonlyMap<string, readonly string[]> | undefined;
  const byLabel = new Map<string, ReadonlyMap<string, readonly KubeObject[]>>();
  const labelsOf = (place: string): ReadonlyMap<string, readonly KubeObject[]> => {
    const known = byLabel.get(place) ?? indexLabels(byKind.get(place) ?? []);
    byLabel.set(place, known);
    return known;
  };
  return {
    objects,
    byUid,
    find: (named) => byName.get(keyOf(named)) ?? byName.get(keyOf({ kind: named.kind, name: named.name })),
    kindsNamed: (kind) => {
      kinds ??= Map.groupBy([...new Set(objects.map(kindKey))].sort(), (key) => key.slice(key.indexOf('/') + 1));
      return kinds.get(kind) ?? [];
    },
    customOf: (name) => {
      custom ??= Map.groupBy(objects.filter(isCustom), ({ metadata }) => metadata.name);
      return custom.get(name) ?? [];
    },
    labelled: (kind, namespace, pair) => {
      const place = placeKey(kind, namespace);
      return (pair === undefined ? byKind.get(place) : labelsOf(place).get(labelKey(pair))) ?? [];
    },
  };
}

/** `apps/Deployment`, and `/Pod` of the core group. */
export function kindKey({ apiVersion, kind }: { readonly apiVersion: unknown; readonly kind: unknown }): string {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return keyOfKind(apiVersion, kind);
  const ofVersion = kindKeys.get(apiVersion) ?? new Map<string, string>();
  const known = ofVersion.get(kind);
  if (known !== undefined) return known;
  const key = keyOfKind(apiVersion, kind);
  if (kindKeys.size >= MAX_KINDS || ofVersion.size >= MAX_KINDS) kindKeys.clear();
  kindKeys.set(apiVersion, ofVersion.set(kind, key));
  return key;
}

/** Hostile owner references name any number. */
const MAX_KINDS = 1_000;
const kindKeys = new Map<string, Map<string, string>>();

function keyOfKind(apiVersion: unknown, kind: unknown): string {
  return `${typeof apiVersion === 'string' ? parseApiVersion(apiVersion).group : ''}/${typeof kind === 'string' ? kind : ''}`;
}

export function nameOf(object: KubeObject): ObjectName {
  const namespace = namespaceOf(object);
  return { kind: kindKey(object), name: object.metadata.name, ...(namespace === undefined ? {} : { namespace }) };
}

export function namespaceOf(object: KubeObject): string | undefined {
  return text(object.metadata.namespace);
}

export function uidOf(object: KubeObject): string {
  return text(object.metadata.uid) ?? '';
}

/** Whoever serves an API may answer with anything. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The labels of an object; whatever is no text is left out. */
export function labelsOf(object: KubeObject): readonly (readonly [key: string, value: string])[] {
  return Object.entries(objectAt(object, 'metadata', 'labels')).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
}

/** One key for each object. */
export function keyOf({ kind, namespace = '', name }: ObjectName): string {
  return `${kind} ${namespace} ${name}`;
}

/** A kind of a domain, which Kubernetes does not serve itself. */
function isCustom(object: KubeObject): boolean {
  const group = kindKey(object).split('/')[0] ?? '';
  return group.includes('.') && !/^([a-z]+|rbac\.authorization|(flowcontrol|internal)\.apiserver)\.k8s\.io$/.test(group);
}

function indexLabels(objects: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> {
  const index = new Map<string, KubeObject[]>();
  for (const object of objects) {
    for (const pair of labelsOf(object)) {
      const key = labelKey(pair);
      const carriers = index.get(key) ?? [];
      carriers.push(object);
      index.set(key, carriers);
    }
  }
  return index;
}

function labelKey([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}

function placeKey(kind: string, namespace: string | undefined): string {
  return `${kind} ${namespace ?? ''}`;
}
