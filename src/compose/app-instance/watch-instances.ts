import { createHash } from 'node:crypto';
import { generatedKind, type GeneratedKind, isDedicatedTo, releaseNameOf } from '../../domain/app-instance/instance.ts';
import { type KeySource, mapSource } from '../../controller/controller.ts';
import { createIndexer } from '../../controller/indexer.ts';
import { apiVersionOf, keyOf, type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import {
  CONFIG_MAP,
  CRON_JOB,
  DAEMON_SET,
  DEPLOYMENT,
  INGRESS,
  JOB,
  type KnownType,
  PERSISTENT_VOLUME_CLAIM,
  SERVICE,
  STATEFUL_SET,
} from '../../domain/kubernetes/resource-types.ts';
import type { Kube } from '../../kube/kube.ts';
import { nameAndVersion, type Reflector, startMetadataReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import type { ReleaseRef } from '../../reconcile/helm-release/ports.ts';
import type { WatchedReleases } from '../../reconcile/instance/ports.ts';
import { keysOfRecord, releaseKey } from '../../reconcile/operator/memory/index-keys.ts';

interface WatchInstancesInput {
  readonly kube: Pick<Kube, 'asController'>;
  /** All CustomResourceDefinitions. */
  readonly definitions: Pick<Reflector, 'get' | 'onChange'>;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The instances of all generated kinds. Keys are `<plural>/<namespace>/<name>`. */
export interface WatchedInstances extends KeySource {
  kindOf(plural: string): GeneratedKind | undefined;
  /** The keys of the instances that a test picks. */
  keys(test: (kind: GeneratedKind, instance: KubeObject) => boolean): readonly string[];
  /** Whether all of them have been listed. */
  synced(): boolean;
  /** The keys of the instances that have a release of that name in a namespace. Costs the same however many instances there are. */
  ofRelease(namespace: string, release: string): readonly string[];
  /** The names of AppDefinitions that have an instance more or less, or one with another spec. */
  readonly counted: KeySource;
}

interface WatchedKind {
  readonly kind: GeneratedKind;
  readonly instances: Reflector;
  /** The keys of instances by the name of their release. */
  readonly byRelease: ReadonlyMap<string, ReadonlySet<string>>;
  readonly stop: AbortController;
}

/** Follows the generated CRDs, and watches the metadata of the instances of each. */
export function watchInstances({ definitions, ...input }: WatchInstancesInput): WatchedInstances {
  const kinds = new Map<string, WatchedKind>();
  const counted = emitter();
  const changes = emitter(() => keys(() => true));
  definitions.onChange((name) => {
    const definition = definitions.get(name);
    const kind = definition && generatedKind(definition);
    const known = kinds.get(name);
    if (kind === undefined) {
      known?.stop.abort();
      kinds.delete(name);
    } else if (known === undefined) {
      const instanceCounted = (): void => counted.emit(kinds.get(name)?.kind.definition ?? kind.definition);
      kinds.set(name, watchKind(input, kind, { changed: changes.emit, counted: instanceCounted }));
    } else if (known.kind.definition !== kind.definition) {
      // A renamed AppDefinition keeps its CRD: the same instances are of another AppDefinition now.
      kinds.set(name, { ...known, kind });
      [known.kind, kind].forEach((one) => counted.emit(one.definition));
      known.instances.all().forEach((instance) => changes.emit(`${kind.resource}/${keyOf(instance)}`));
    }
  });
  const keys: WatchedInstances['keys'] = (test) =>
    [...kinds.values()].flatMap(({ kind, instances }) => {
      const picked = instances.all().filter((instance) => test(kind, instance));
      return picked.map((instance) => `${kind.resource}/${keyOf(instance)}`);
    });
  return {
    kindOf: (plural) => [...kinds.values()].find(({ kind }) => kind.resource === plural)?.kind,
    keys,
    synced: () => [...kinds.values()].every(({ instances }) => instances.synced()),
    ofRelease: (namespace, release) => [...kinds.values()].flatMap((watched) => releasedBy(watched, namespace, release)),
    counted,
    onChange: changes.onChange,
  };
}

function releasedBy({ kind, instances, byRelease }: WatchedKind, namespace: string, release: string): string[] {
  const isThere = (metadata: KubeObject['metadata']): boolean =>
    metadata.namespace === namespace || isDedicatedTo(namespace, kind, metadata);
  const own = [...(byRelease.get(release) ?? [])].filter((key) => {
    const instance = instances.get(key);
    return instance !== undefined && isThere(instance.metadata);
  });
  return own.map((key) => `${kind.resource}/${key}`);
}

/** @param current The keys that a new listener gets at once. */
function emitter(current: () => readonly string[] = () => []): KeySource & { emit(key: string): void } {
  const listeners = new Set<(key: string) => void>();
  return {
    emit: (key) => listeners.forEach((listener) => listener(key)),
    onChange: (listener) => {
      listeners.add(listener);
      current().forEach((key) => listener(key));
      return () => listeners.delete(listener);
    },
  };
}

function watchKind(
  { kube, log, signal }: Omit<WatchInstancesInput, 'definitions'>,
  kind: GeneratedKind,
  { changed, counted }: { readonly changed: (key: string) => void; readonly counted: () => void },
): WatchedKind {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const instances = startMetadataReflector({ cluster: kube.asController(), type: kind, keep: withoutStatus, log, signal: until });
  const known = new Map<string, KubeObject>();
  const byRelease = new Map<string, Set<string>>();
  instances.onChange((key) => {
    const [before, instance] = [known.get(key), instances.get(key)];
    const release = releaseNameOf(kind, parseKey(key).name);
    if (instance === undefined) {
      known.delete(key);
      byRelease.get(release)?.delete(key);
      if (byRelease.get(release)?.size === 0) byRelease.delete(release);
    } else {
      known.set(key, instance);
      byRelease.set(release, (byRelease.get(release) ?? new Set()).add(key));
    }
    if (instance?.metadata.generation !== before?.metadata.generation) counted();
    // Whoever has written the status knows it.
    if (instance?.['request'] !== before?.['request']) changed(`${kind.resource}/${key}`);
  });
  return { kind, instances, byRelease, stop };
}

/** `request` is another one when anything but the status changes. */
function withoutStatus({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  const { labels, annotations, finalizers, deletionTimestamp } = metadata;
  const written = JSON.stringify([uid, generation, labels, annotations, finalizers, deletionTimestamp]);
  const request = createHash('sha256').update(written).digest('base64');
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, generation }, request };
}

/** What charts mostly consist of. Changes of other kinds are seen when a release is looked at anyway. */
const WATCHED: readonly KnownType[] = [
  DEPLOYMENT,
  STATEFUL_SET,
  DAEMON_SET,
  JOB,
  CRON_JOB,
  SERVICE,
  CONFIG_MAP,
  PERSISTENT_VOLUME_CLAIM,
  INGRESS,
];

interface ReleaseWatch extends WatchedReleases {
  /** The keys of instances whose release, or an object of it, was changed or deleted, by whomever. */
  readonly sources: readonly KeySource[];
}

interface WatchReleasesInput extends Omit<WatchInstancesInput, 'definitions'> {
  /** The records of all releases. */
  readonly records: Reflector;
}

/** Follows the records of releases, and watches the objects of the kinds above. Only metadata crosses the wire. */
export function watchReleases({ kube, records, log, signal }: WatchReleasesInput, instances: WatchedInstances): ReleaseWatch {
  const cluster = kube.asController();
  const byRelease = createIndexer(records, keysOfRecord);
  const ofRecord = (key: string): readonly string[] => {
    const release = releaseOfRecord(key);
    return release === undefined ? [] : instances.ofRelease(release.namespace, release.release);
  };
  const scope = { cluster, labelSelector: 'app.kubernetes.io/managed-by=Helm', keep: withRelease, log, signal };
  const objects = WATCHED.map((type) => ({ type, made: startMetadataReflector({ ...scope, type }) }));
  return {
    sources: [mapSource(records, ofRecord), ...objects.map(({ made }) => releasesOf(made, instances.ofRelease))],
    recordsOf: (release) => (records.synced() ? byRelease.having(releaseKey(release)) : undefined),
    versionOf: ({ apiVersion, kind, metadata: { name } }, namespace) => {
      const watched = objects.find(({ type }) => type.kind === kind && apiVersionOf(type) === apiVersion)?.made;
      return watched?.synced() === true ? watched.get(`${namespace}/${name}`)?.metadata.resourceVersion : undefined;
    },
  };
}

/** @param key `<namespace>/<name>` of a Secret. */
function releaseOfRecord(key: string): ReleaseRef | undefined {
  const { namespace = '', name } = parseKey(key);
  const release = /^sh\.helm\.release\.v1\.(.+)\.v\d+$/.exec(name)?.[1];
  return release === undefined ? undefined : { namespace, release };
}

function withRelease(object: KubeObject): KubeObject {
  const kept = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key.startsWith('meta.helm.sh/'));
  return nameAndVersion(object, { annotations: Object.fromEntries(kept) });
}

/** Whose an object was is not known any more when it is gone. */
function releasesOf(objects: Reflector, keysOf: (namespace: string, release: string) => readonly string[]): KeySource {
  const known = new Map<string, readonly [namespace: string, release: string]>();
  const ofObject = (key: string): readonly string[] => {
    const { annotations = {}, namespace = '' } = objects.get(key)?.metadata ?? {};
    const release = annotations['meta.helm.sh/release-name'];
    if (release !== undefined) known.set(key, [annotations['meta.helm.sh/release-namespace'] ?? namespace, release]);
    const [where, name] = known.get(key) ?? ['', ''];
    if (release === undefined) known.delete(key);
    return name === '' ? [] : keysOf(where, name);
  };
  return { onChange: (listener) => objects.onChange((key) => ofObject(key).forEach(listener)) };
}
