import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';
import { statusOf } from '../../../domain/kind/kind.ts';
import { calledBy, type CalledService } from '../../../domain/operator/called-services.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { claimedCrds, operatorLabelValue, parseOperatorSpec } from '../../../domain/operator/operator-spec.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';

/** The objects of one type in memory, kept in step by a watch. */
export interface WatchedType {
  get(key: string): KubeObject | undefined;
  /** Whether everything has been listed at least once. */
  synced(): boolean;
  /** Calls the listener with the key of everything that is there, and then of everything that changes. Returns how to stop. */
  onChange(listener: (key: string) => void): () => void;
}

/** The objects of a type by index key: an object has any number of keys, and a key any number of objects. */
export interface Indexer {
  /** The objects with the index key, in the order they came. */
  having(indexKey: string): readonly KubeObject[];
  /** Calls the listener with the index keys of everything that is there, and then of everything that changes: those before and those after. */
  onChange(listener: (indexKeys: readonly string[]) => void): () => void;
}

/** Keeps an index of a type for as long as the type is watched. */
export function createIndexer(type: WatchedType, indexKeysOf: (object: KubeObject) => readonly string[]): Indexer {
  const objectsByIndexKey = new Map<string, Set<string>>();
  const indexKeysByObject = new Map<string, readonly string[]>();
  const listeners = new Set<(indexKeys: readonly string[]) => void>();
  const leave = (indexKey: string, key: string): void => {
    const keys = objectsByIndexKey.get(indexKey);
    keys?.delete(key);
    if (keys?.size === 0) objectsByIndexKey.delete(indexKey);
  };
  type.onChange((key) => {
    const object = type.get(key);
    const before = indexKeysByObject.get(key) ?? [];
    const after = object === undefined ? [] : indexKeysOf(object);
    for (const indexKey of before) leave(indexKey, key);
    for (const indexKey of after) {
      const keys = objectsByIndexKey.get(indexKey) ?? new Set();
      objectsByIndexKey.set(indexKey, keys.add(key));
    }
    if (after.length === 0) indexKeysByObject.delete(key);
    else indexKeysByObject.set(key, after);
    const touched = [...new Set([...before, ...after])];
    for (const listener of listeners) listener(touched);
  });
  return {
    having: (indexKey) => [...(objectsByIndexKey.get(indexKey) ?? [])].flatMap((key) => type.get(key) ?? []),
    onChange: (listener) => {
      listeners.add(listener);
      for (const indexKeys of indexKeysByObject.values()) listener(indexKeys);
      return () => listeners.delete(listener);
    },
  };
}

/*
 * Index keys of watched objects. An Operator has the keys of its release, label and CRDs, so a change of any of these finds the Operator, and its objects are
 * found without a scan of all others.
 */

export function releaseKey({ release, namespace }: ReleaseRef): string {
  return `release ${namespace}/${release}`;
}

export function labelKey(label: string): string {
  return `label ${label}`;
}

export function crdKey(name: string): string {
  return `definition ${name}`;
}

export function keysOfOperator(operator: KubeObject): readonly string[] {
  const { name, namespace = 'default' } = operator.metadata;
  const spec = parseOperatorSpec(operator);
  const { releaseName, targetNamespace } = spec;
  const definitions = new Set([...statusOf(OPERATOR_KIND, operator).customResourceDefinitions, ...claimedCrds(spec)]);
  const own = [labelKey(operatorLabelValue(namespace, name)), releaseKey({ release: releaseName, namespace: targetNamespace })];
  return [...own, ...[...definitions].map(crdKey)];
}

/** A CRD with a label is the labelled Operator's alone; that of a release may become its Operator's. */
export function keysOfCrd(crd: KubeObject): readonly string[] {
  const label = crd.metadata.labels?.[OURS.operatorLabel];
  return [crdKey(crd.metadata.name), ...(label === undefined ? keysOfReleased(crd) : [labelKey(label)]), ...servicesOf(crd)];
}

/** A record of Helm's: a Secret with the labels `owner=helm` and `name`. */
export function keysOfRecord({ metadata }: KubeObject): readonly string[] {
  const release = metadata.labels?.['name'];
  return release === undefined ? [] : [releaseKey({ release, namespace: metadata.namespace ?? 'default' })];
}

/** What Helm installed carries the release in its annotations. */
export function keysOfReleased({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  const namespace = annotations['meta.helm.sh/release-namespace'];
  return release === undefined || namespace === undefined ? [] : [releaseKey({ release, namespace })];
}

/** Whether Helm installed an object with a release. */
export function isOfRelease(object: KubeObject, release: ReleaseRef): boolean {
  return keysOfReleased(object).includes(releaseKey(release));
}

/** The keys of a webhook configuration or APIService: of its release, and of the Services that the api-server calls for it. */
export function keysOfCaller(object: KubeObject): readonly string[] {
  return [...keysOfReleased(object), ...servicesOf(object)];
}

function servicesOf(object: KubeObject): readonly string[] {
  return calledBy(object).flatMap(({ service }) => (service === undefined ? [] : [serviceKey(service)]));
}

export function keysOfSlice({ metadata: { labels = {}, namespace = '' } }: KubeObject): readonly string[] {
  const name = labels['kubernetes.io/service-name'];
  return name === undefined ? [] : [serviceKey({ namespace, name })];
}

export function serviceKey({ namespace, name }: Pick<CalledService, 'namespace' | 'name'>): string {
  return `service ${namespace}/${name}`;
}

export function keysOfRole({ metadata }: KubeObject): readonly string[] {
  const label = metadata.labels?.[OURS.operatorLabel];
  return label === undefined ? [] : [labelKey(label)];
}
