import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { INSTANCE, MANAGED_BY } from '../../controller-runtime/managed-kind.ts';
import type { LiveObject, Manifest } from '../../controller-runtime/kube-object.ts';
import { CONTAINER_SECURITY, shellProbe, spreadOverNodes } from '../../controller-runtime/pod-parts.ts';
import { claimTemplate } from '../../controller-runtime/volume-claims.ts';
import { CONFIG } from './config-map.ts';
import { exporter } from './exporter.ts';
import { COMMON_MOUNTS, commonVolumes, podBasics } from './pod-pieces.ts';
import { type PostgresCluster, selectorOf } from './postgres-cluster.ts';
import { CREDENTIALS } from './setup-sql.ts';

export interface StatefulSetInput {
  readonly cluster: PostgresCluster;
  readonly operator: string;
  readonly existing: LiveObject | undefined;
  /** Changes whenever a file changes that the running server has read. */
  readonly configHash: string;
}

export function statefulSet({ cluster, operator, existing, configHash }: StatefulSetInput): Manifest {
  const { spec, names, namespace } = cluster;
  const selector = selectorOf(cluster);
  const { size, storageClassName, whenDeleted } = spec.storage;
  const labels = { ...selector, [MANAGED_BY]: operator, [INSTANCE]: cluster.name };
  const claim = { size, labels, ...(storageClassName === undefined ? {} : { storageClassName }) };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace, name: names.main, labels: selector },
    spec: {
      replicas: spec.instances,
      serviceName: names.nodes,
      selector: { matchLabels: selector },
      // One after the other: the second copies its data from the first.
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' },
      template: { metadata: podMetadata(cluster, labels, configHash), spec: podSpec(cluster) },
      volumeClaimTemplates: [claimTemplate(claim, existing)],
    },
  };
}

function podMetadata({ spec }: PostgresCluster, labels: Readonly<Record<string, string>>, configHash: string): JsonObject {
  const scrape = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9187' };
  return {
    labels: { ...spec.labels, ...labels },
    annotations: { 'samples.chandlery.dev/config-hash': configHash, ...(spec.monitoring.enabled ? scrape : {}) },
  };
}

function podSpec(cluster: PostgresCluster): JsonObject {
  return {
    ...podBasics(cluster),
    terminationGracePeriodSeconds: 120,
    affinity: spreadOverNodes(selectorOf(cluster)),
    containers: [server(cluster), ...(cluster.spec.monitoring.enabled ? [exporter()] : [])],
    volumes: [
      ...commonVolumes(cluster),
      ...superuserVolume(cluster),
      { name: 'run', emptyDir: {} },
      { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '128Mi' } },
    ],
  };
}

/** The password of the superuser, where somebody brings it. */
const SUPERUSER = '/etc/postgres-superuser';

function superuserVolume({ spec: { superuserPasswordSecret: ref } }: PostgresCluster): readonly JsonObject[] {
  if (ref === undefined) return [];
  const items = [{ key: ref.key, path: 'password' }];
  return [{ name: 'superuser', secret: { secretName: ref.name, defaultMode: 0o440, items } }];
}

function superuserMount({ spec }: PostgresCluster): readonly JsonObject[] {
  return spec.superuserPasswordSecret === undefined ? [] : [{ name: 'superuser', mountPath: SUPERUSER, readOnly: true }];
}

function server(cluster: PostgresCluster): JsonObject {
  const { image, spec } = cluster;
  const isReady = 'pg_isready --quiet --username postgres --host /var/run/postgresql';
  return {
    name: 'postgres',
    image,
    command: ['sh', `${CONFIG}/start.sh`],
    ports: [{ name: 'postgres', containerPort: 5432, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      // A folder in the volume: the root of many volumes has a folder lost+found, which initdb rejects.
      { name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' },
      {
        name: 'POSTGRES_PASSWORD_FILE',
        value: spec.superuserPasswordSecret === undefined ? `${CREDENTIALS}/password-postgres` : `${SUPERUSER}/password`,
      },
      { name: 'POSTGRES_INITDB_ARGS', value: '--data-checksums --auth-host=scram-sha-256' },
    ],
    resources: { requests: { ...spec.resources.requests }, limits: { ...spec.resources.limits } },
    securityContext: CONTAINER_SECURITY,
    // Copying the data of the first instance may take its time.
    startupProbe: shellProbe(isReady, { periodSeconds: 5, failureThreshold: 360 }),
    readinessProbe: shellProbe(isReady, { periodSeconds: 5, failureThreshold: 3 }),
    livenessProbe: shellProbe(isReady, { periodSeconds: 20, failureThreshold: 6 }),
    volumeMounts: [
      ...COMMON_MOUNTS,
      { name: 'config', mountPath: '/docker-entrypoint-initdb.d/replicator.sh', subPath: 'replicator.sh', readOnly: true },
      { name: 'data', mountPath: '/var/lib/postgresql/data' },
      { name: 'run', mountPath: '/var/run/postgresql' },
      { name: 'shared-memory', mountPath: '/dev/shm' },
      ...superuserMount(cluster),
    ],
  };
}
