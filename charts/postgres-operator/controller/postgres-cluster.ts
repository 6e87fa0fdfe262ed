import type { KnownType } from '../../../src/domain/kubernetes/resource-types.ts';
import type { Json } from '../../../src/domain/kubernetes/resource.ts';
import type { LiveObject } from '../../controller-runtime/kube-object.ts';

export const POSTGRES_CLUSTER: KnownType = {
  group: 'samples.chandlery.dev',
  version: 'v1alpha1',
  kind: 'PostgresCluster',
  resource: 'postgresclusters',
  namespaced: true,
};

export interface Database {
  readonly name: string;
  readonly owner: string;
  readonly extensions?: readonly string[];
}
export interface User {
  readonly name: string;
  readonly superuser: boolean;
  readonly databases?: readonly string[];
}
export interface Bucket {
  readonly name: string;
  readonly endpoint: string;
  readonly prefix?: string;
  readonly credentialsSecret: string;
}
interface Amounts {
  readonly cpu?: string | number;
  readonly memory: string;
}

/** The spec of a PostgresCluster, with the defaults that the api-server filled in. */
export interface PostgresSpec {
  readonly version: string;
  readonly instances: number;
  /** Without one it is UTC, as of the image. */
  readonly timeZone?: string;
  readonly storage: { readonly size: string; readonly storageClassName?: string; readonly whenDeleted: 'Delete' | 'Retain' };
  readonly databases: readonly Database[];
  readonly users: readonly User[];
  /** Where the password of the superuser is; without it, one is made up. */
  readonly superuserPasswordSecret?: { readonly name: string; readonly key: string };
  readonly replication: { readonly mode: 'Asynchronous' | 'Synchronous'; readonly minSyncReplicas: number };
  readonly backup: {
    readonly enabled: boolean;
    readonly schedule: string;
    readonly retentionDays: number;
    readonly destination?: {
      readonly volume?: { readonly size: string; readonly storageClassName?: string };
      readonly bucket?: Bucket;
    };
  };
  readonly monitoring: { readonly enabled: boolean };
  readonly resources: { readonly requests: Amounts; readonly limits: Amounts };
  readonly exposure: { readonly type: string; readonly port: number; readonly annotations?: Readonly<Record<string, string>> };
  readonly parameters?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A PostgresCluster, and the names of everything that is made for it. */
export interface PostgresCluster {
  readonly namespace: string;
  readonly name: string;
  readonly spec: PostgresSpec;
  readonly image: string;
  readonly names: {
    /** The StatefulSet and the Service for reading and writing. */
    readonly main: string;
    readonly read: string;
    readonly nodes: string;
    readonly secret: string;
    readonly config: string;
    readonly setup: string;
    readonly backup: string;
  };
}

/** Takes an object over from the api-server, whose schema has checked it. */
export function readPostgresCluster(object: LiveObject): PostgresCluster {
  const { namespace, name } = object.metadata;
  const spec = object.spec as unknown as PostgresSpec;
  const main = `${name}-postgres`;
  return {
    namespace,
    name,
    spec,
    image: `docker.io/library/postgres:${spec.version}`,
    names: {
      main,
      read: `${main}-read`,
      nodes: `${main}-nodes`,
      secret: `${main}-credentials`,
      config: `${main}-config`,
      setup: `${main}-setup`,
      backup: `${main}-backup`,
    },
  };
}

/** The labels by which the pods of the database are found. Immutable: a StatefulSet cannot change its selector. */
export function selectorOf(cluster: PostgresCluster): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'postgres',
    'app.kubernetes.io/instance': cluster.name,
    'app.kubernetes.io/component': 'database',
  };
}

/** The labels of what works for the database without being it, so that no Service sends anybody there. */
export function labelsOf(cluster: PostgresCluster, component: 'setup' | 'backup'): Readonly<Record<string, string>> {
  return { ...selectorOf(cluster), 'app.kubernetes.io/component': component };
}
