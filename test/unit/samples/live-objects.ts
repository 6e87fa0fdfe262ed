import type { LiveObject, Manifest } from '../../../charts/controller-runtime/kube-object.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';

const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  Cache: {
    version: '8.1',
    replicas: 1,
    memory: '128Mi',
    evictionPolicy: 'allkeys-lru',
    persistence: { enabled: false },
    exposure: { type: 'ClusterIP', port: 6379 },
    maxUnavailable: 1,
  },
  PostgresCluster: {
    version: '17',
    instances: 1,
    storage: { size: '1Gi', whenDeleted: 'Delete' },
    databases: [{ name: 'app', owner: 'app' }],
    users: [{ name: 'app', superuser: false }],
    replication: { mode: 'Asynchronous', minSyncReplicas: 1 },
    backup: { enabled: false, schedule: '0 2 * * *', retentionDays: 7 },
    monitoring: { enabled: false },
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    exposure: { type: 'ClusterIP', port: 5432 },
  },
};

/** A parent as the api-server answers it, with the defaults of its schema and the given fields laid over them. */
export function parentOf(kind: 'Cache' | 'PostgresCluster', spec: JsonObject = {}, status: JsonObject = {}): LiveObject {
  return live({
    apiVersion: 'samples.chandlery.dev/v1alpha1',
    kind,
    metadata: { namespace: 'team-a', name: 'shop' },
    spec: { ...DEFAULTS[kind], ...spec },
    status,
  });
}

/** A manifest as the api-server answers it after it was written. */
export function live(manifest: Manifest, status?: JsonObject): LiveObject {
  const uid = `uid-${manifest.kind}-${manifest.metadata.name}`;
  return {
    ...manifest,
    metadata: { ...manifest.metadata, uid, resourceVersion: '1', generation: 1 },
    ...(status === undefined ? {} : { status }),
  };
}

/** The status of a StatefulSet whose pods all run its latest revision. */
export function rolledOut(replicas: number): JsonObject {
  return { observedGeneration: 1, replicas, readyReplicas: replicas, currentRevision: 'a', updateRevision: 'a' };
}
