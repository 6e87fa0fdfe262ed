import { parseQuantity } from '../../../src/domain/core/quantity.ts';
import type { KnownType } from '../../../src/domain/kubernetes/resource-types.ts';
import type { Json } from '../../../src/domain/kubernetes/resource.ts';
import type { LiveObject } from '../../controller-runtime/kube-object.ts';

export const CACHE: KnownType = {
  group: 'samples.chandlery.dev',
  version: 'v1alpha1',
  kind: 'Cache',
  resource: 'caches',
  namespaced: true,
};

export interface CacheUser {
  readonly name: string;
  readonly permissions: readonly ('read' | 'write' | 'publish' | 'admin')[];
  readonly keyPrefix?: string;
}

/** The spec of a Cache, with the defaults that the api-server filled in. */
export interface CacheSpec {
  readonly version: string;
  readonly replicas: number;
  readonly memory: string;
  readonly evictionPolicy: string;
  readonly persistence: { readonly enabled: boolean; readonly size?: string; readonly storageClassName?: string };
  readonly resources?: {
    readonly requests?: { readonly cpu?: string | number; readonly memory?: string };
    readonly limits?: { readonly cpu?: string | number; readonly memory?: string };
  };
  readonly exposure: { readonly type: string; readonly port: number; readonly annotations?: Readonly<Record<string, string>> };
  readonly users?: readonly CacheUser[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly maintenanceWindow?: { readonly day: string; readonly hour: number };
  readonly maxUnavailable: string | number;
  readonly tolerations?: readonly Json[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Cache, and the names of everything that is made for it. */
export interface Cache {
  readonly namespace: string;
  readonly name: string;
  readonly spec: CacheSpec;
  readonly names: {
    /** The StatefulSet and the Service for reading and writing. */
    readonly main: string;
    readonly read: string;
    readonly nodes: string;
    readonly secret: string;
    readonly config: string;
  };
}

/** Takes an object over from the api-server, whose schema has checked it. */
export function readCache(object: LiveObject): Cache {
  const { namespace, name } = object.metadata;
  const main = `${name}-cache`;
  return {
    namespace,
    name,
    spec: object.spec as unknown as CacheSpec,
    names: { main, read: `${main}-read`, nodes: `${main}-nodes`, secret: `${main}-credentials`, config: `${main}-config` },
  };
}

/** How many bytes of content must fit. The schema of the kind lets only quantities through. */
export function memoryBytes({ spec }: Cache): number {
  return Number((parseQuantity(spec.memory) ?? 0n) / 1_000_000_000n);
}

/** The labels by which the pods of a Cache are found. Immutable: a StatefulSet cannot change its selector. */
export function selectorOf(cache: Cache): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': 'cache', 'app.kubernetes.io/instance': cache.name };
}
