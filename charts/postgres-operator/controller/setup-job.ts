import type { Manifest } from '../../controller-runtime/kube-object.ts';
import { CONTAINER_SECURITY, contentHash } from '../../controller-runtime/pod-parts.ts';
import { CONFIG } from './config-map.ts';
import { clientEnvironment, COMMON_MOUNTS, commonVolumes, HELPER_RESOURCES, podBasics } from './pod-pieces.ts';
import { labelsOf, type PostgresCluster } from './postgres-cluster.ts';
import { setupSql } from './setup-sql.ts';

/**
 * The Job that brings users and databases in line. Jobs are immutable, so its name carries a hash of what it does: a change makes a new one,
 * and the old one is removed as no longer wanted.
 */
export function setupJob(cluster: PostgresCluster): Manifest {
  const labels = labelsOf(cluster, 'setup');
  const template = {
    metadata: { labels },
    spec: {
      ...podBasics(cluster),
      restartPolicy: 'OnFailure',
      containers: [
        {
          name: 'psql',
          image: cluster.image,
          command: ['psql', '--no-psqlrc', '--dbname', 'postgres', '--file', `${CONFIG}/setup.sql`],
          env: clientEnvironment(cluster),
          resources: HELPER_RESOURCES,
          securityContext: CONTAINER_SECURITY,
          volumeMounts: COMMON_MOUNTS,
        },
      ],
      volumes: commonVolumes(cluster),
    },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: cluster.namespace,
      name: `${cluster.names.setup}-${contentHash([template, setupSql(cluster.spec)]).slice(0, 8)}`,
      labels,
    },
    spec: { backoffLimit: 6, template },
  };
}
