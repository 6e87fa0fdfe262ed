import { numberAt } from '../../../src/domain/core/read.ts';
import type { LiveObject, Manifest } from '../../controller-runtime/kube-object.ts';
import type { ManagedKind, Observed } from '../../controller-runtime/managed-kind.ts';
import { contentHash, disruptionBudget } from '../../controller-runtime/pod-parts.ts';
import {
  CONFIG_MAP,
  CRON_JOB,
  JOB,
  PERSISTENT_VOLUME_CLAIM,
  POD_DISRUPTION_BUDGET,
  SERVICE,
  STATEFUL_SET,
} from '../../../src/domain/kubernetes/resource-types.ts';
import { claimGrowth } from '../../controller-runtime/volume-claims.ts';
import { backup } from './backup.ts';
import { configMap, serverFiles } from './config-map.ts';
import { POSTGRES_CLUSTER, readPostgresCluster, selectorOf } from './postgres-cluster.ts';
import { report } from './report.ts';
import { postgresSecret } from './secret.ts';
import { services } from './services.ts';
import { setupJob } from './setup-job.ts';
import { statefulSet } from './stateful-set.ts';

const OPERATOR = 'postgres-operator';

/** What the PostgreSQL operator does with a PostgresCluster. */
export const postgresKind: ManagedKind = {
  operator: OPERATOR,
  resource: POSTGRES_CLUSTER,
  owned: [STATEFUL_SET, SERVICE, CONFIG_MAP, POD_DISRUPTION_BUDGET, JOB, CRON_JOB, PERSISTENT_VOLUME_CLAIM],
  secret: (parent, current, makePassword) => postgresSecret(readPostgresCluster(parent), current, makePassword),
  desired,
  growth: (parent, observed) => {
    const { spec, names } = readPostgresCluster(parent);
    return claimGrowth(observed, `data-${names.main}-`, spec.storage.size);
  },
  report,
};

function desired(parent: LiveObject, { children }: Observed): readonly Manifest[] {
  const cluster = readPostgresCluster(parent);
  const { namespace, names, spec } = cluster;
  const config = configMap(cluster);
  const existing = children.find(({ kind }) => kind === 'StatefulSet');
  const job = setupJob(cluster);
  // The job needs a server to talk to. Once made, it stays, also while the server is away.
  const canSetUp =
    (numberAt(existing?.status, 'readyReplicas') ?? 0) > 0 || children.some(({ metadata }) => metadata.name === job.metadata.name);
  return [
    config,
    ...services(cluster),
    statefulSet({ cluster, operator: OPERATOR, existing, configHash: contentHash(serverFiles(config)) }),
    ...(spec.instances > 1 ? [disruptionBudget({ namespace, name: names.main, selector: selectorOf(cluster), maxUnavailable: 1 })] : []),
    ...(canSetUp ? [job] : []),
    ...backup(cluster),
  ];
}
