import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import type { Manifest } from '../../controller-runtime/kube-object.ts';
import { CONTAINER_SECURITY } from '../../controller-runtime/pod-parts.ts';
import { clientEnvironment, COMMON_MOUNTS, commonVolumes, HELPER_RESOURCES, podBasics } from './pod-pieces.ts';
import { type Bucket, labelsOf, type PostgresCluster } from './postgres-cluster.ts';

/** What regular dumps need: a CronJob, and a volume when they do not go to a bucket. Empty when backups are off. */
export function backup(cluster: PostgresCluster): readonly Manifest[] {
  const { enabled, destination } = cluster.spec.backup;
  if (!enabled || destination === undefined) return [];
  if (destination.bucket !== undefined) return [cronJob(cluster, toBucket(cluster, destination.bucket))];
  return [claim(cluster), cronJob(cluster, toVolume(cluster))];
}

function claim(cluster: PostgresCluster): Manifest {
  const { size = '1Gi', storageClassName } = cluster.spec.backup.destination?.volume ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: cluster.namespace, name: cluster.names.backup, labels: labelsOf(cluster, 'backup') },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}

function cronJob(cluster: PostgresCluster, pod: JsonObject): Manifest {
  const labels = labelsOf(cluster, 'backup');
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { namespace: cluster.namespace, name: cluster.names.backup, labels },
    spec: {
      schedule: cluster.spec.backup.schedule,
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 3600,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: {
        metadata: { labels },
        spec: { backoffLimit: 2, template: { metadata: { labels }, spec: { ...podBasics(cluster), restartPolicy: 'Never', ...pod } } },
      },
    },
  };
}

const DUMP = 'pg_dumpall --clean --if-exists | gzip > "$file.partial" && mv "$file.partial" "$file"';

function toVolume(cluster: PostgresCluster): JsonObject {
  const { retentionDays } = cluster.spec.backup;
  const script = [
    'set -eu -o pipefail',
    'file=/backup/$(date -u +%Y-%m-%dT%H%M%SZ).sql.gz',
    DUMP,
    `find /backup -name '*.sql.gz*' -mtime +${retentionDays} -delete`,
  ];
  const mounts = [...COMMON_MOUNTS, { name: 'backup', mountPath: '/backup' }];
  return {
    containers: [dump(cluster, script, mounts)],
    volumes: [...commonVolumes(cluster), { name: 'backup', persistentVolumeClaim: { claimName: cluster.names.backup } }],
  };
}

function toBucket(cluster: PostgresCluster, bucket: Bucket): JsonObject {
  const script = ['set -eu -o pipefail', 'file=/backup/$(date -u +%Y-%m-%dT%H%M%SZ).sql.gz', DUMP];
  const mounts = [...COMMON_MOUNTS, { name: 'backup', mountPath: '/backup' }];
  return {
    initContainers: [dump(cluster, script, mounts)],
    containers: [upload(bucket)],
    volumes: [...commonVolumes(cluster), { name: 'backup', emptyDir: {} }],
  };
}

function dump(cluster: PostgresCluster, script: readonly string[], volumeMounts: readonly JsonObject[]): JsonObject {
  return {
    name: 'dump',
    image: cluster.image,
    command: ['bash', '-c', script.join('\n')],
    env: clientEnvironment(cluster),
    resources: HELPER_RESOURCES,
    securityContext: CONTAINER_SECURITY,
    volumeMounts,
  };
}

function upload({ name, endpoint, prefix, credentialsSecret }: Bucket): JsonObject {
  const folder = ['s3:/', name, ...(prefix ?? '').split('/').filter((part) => part !== ''), ''].join('/');
  const fromSecret = (key: string): JsonObject => ({ secretKeyRef: { name: credentialsSecret, key } });
  return {
    name: 'upload',
    image: 'docker.io/amazon/aws-cli:2.27.50',
    command: ['aws', 's3', 'cp', '--endpoint-url', endpoint, '--recursive', '/backup', folder],
    env: [
      { name: 'HOME', value: '/tmp' },
      { name: 'AWS_ACCESS_KEY_ID', valueFrom: fromSecret('accessKeyId') },
      { name: 'AWS_SECRET_ACCESS_KEY', valueFrom: fromSecret('secretAccessKey') },
    ],
    resources: HELPER_RESOURCES,
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'backup', mountPath: '/backup', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}
