import { at, listAt, numberAt, objectAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import {
  absent,
  condition,
  conditionAs,
  degraded,
  either,
  fewer,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  otherwise,
  present,
  progressing,
  reasonOf,
  suspended,
  unknown,
  unreported,
} from './rule.ts';
import { conditionsIn } from './conditions.ts';

/** Atlas Operator (atlasgo.io): the reason of `Ready` names the step that failed. */
const atlas: HealthRules = {
  'db.atlasgo.io/*': [
    healthy(reasonOf('Ready')),
    progressing(reasonOf('Ready', ['False', 'Unknown'], 'Reconciling')),
    degraded(reasonOf('Ready', 'False')),
  ],
};

/** Rook Cassandra: members are counted by rack, under names that the user chose. */
const cassandra: HealthRules = {
  'cassandra.rook.io/Cluster': [
    progressing(either(absent('status.racks'), incomplete), 'Waiting for Cassandra Cluster'),
    healthy(otherwise),
  ],
};

function incomplete({ status }: KubeObject): string | undefined {
  const racks = Object.values(objectAt(status, 'racks'));
  return racks.some((rack) => (numberAt(rack, 'readyMembers') ?? 0) < (numberAt(rack, 'members') ?? 0)) ? '' : undefined;
}

/** Altinity's operator for ClickHouse: one word for the installation. */
const clickhouse: HealthRules = {
  'clickhouse.altinity.com/ClickHouseInstallation': installation('ClickHouse'),
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': installation('ClickHouseKeeper'),
};

function installation(product: string): HealthRule {
  return [
    healthy(field('status.status', 'Completed'), `${product} installation completed successfully`),
    progressing(field('status.status', 'InProgress'), `${product} installation in progress`),
    suspended(field('status.status', 'Stopped', 'Aborted'), `${product} status: {}`),
    degraded(field('status.status'), `${product} status: {}`),
    progressing(otherwise, `${product} status not yet available`),
  ];
}

const PHASE = 'status.phase';

/** What is declared inside a database. */
const APPLIED: HealthRule = [
  healthy(field('status.applied', true), '{kind} is applied'),
  degraded(field('status.applied', false), '{status.message|It could not be applied}'),
  progressing(otherwise, 'Waiting for {kind} to be applied'),
];

/** CloudNativePG (cloudnative-pg.io): phases are sentences, of which one is good. EDB sells the operator under a group of its own. */
const cloudnativePg: HealthRules = { ...rulesOf('postgresql.cnpg.io'), ...rulesOf('postgresql.k8s.enterprisedb.io') };

function rulesOf(group: string): HealthRules {
  return {
    [`${group}/Cluster`]: [
      suspended(condition('cnpg.io/hibernation')),
      healthy(field(PHASE, 'Cluster in healthy state')),
      degraded(
        field(
          PHASE,
          'Cluster cannot proceed to reconciliation due to an unknown plugin being required',
          'Cluster cannot proceed to reconciliation because of a failing plugin',
          'Cluster cannot execute instance online upgrade due to missing architecture binary',
          'Cluster has incomplete or invalid image catalog',
          'Cluster is unrecoverable and needs manual intervention',
          'Cluster upgrade failed',
          'Not enough disk space',
          'Unable to create required cluster objects',
        ),
        '{status.phaseReason|Cluster cannot go on by itself}',
      ),
      suspended(field(PHASE, 'Waiting for user action')),
      progressing(field(PHASE)),
      progressing(unreported, 'Waiting for {kind} to report a status'),
    ],
    [`${group}/Backup`]: [
      healthy(field(PHASE, 'completed')),
      degraded(field(PHASE, 'failed', 'walArchivingFailing'), '{status.error|failed}'),
      progressing(otherwise, '{status.phase|pending}'),
    ],
    [`${group}/Database`]: APPLIED,
    [`${group}/Publication`]: APPLIED,
    [`${group}/Subscription`]: APPLIED,
  };
}

/** Crunchy Postgres for Kubernetes (access.crunchydata.com/documentation/postgres-operator): replicas are counted by set of instances. */
const crunchyPostgres: HealthRules = {
  'postgres-operator.crunchydata.com/PostgresCluster': [
    suspended(condition('Progressing', 'False', 'Paused')),
    degraded(condition('PersistentVolumeResizeError')),
    crunchyPostgresIncomplete,
    healthy(present('status.instances'), 'All instances are ready'),
    progressing(unreported, 'Waiting for {kind} to report a status'),
  ],
};

function crunchyPostgresIncomplete({ status }: KubeObject): Health | undefined {
  for (const set of listAt(status, 'instances').slice(0, MAX_SETS)) {
    const [ready, wanted] = [numberAt(set, 'readyReplicas') ?? 0, numberAt(set, 'replicas') ?? 0];
    if (ready < wanted)
      return { status: 'Progressing', message: `${ready} of ${wanted} replicas of ${textAt(set, 'name') ?? ''} are ready` };
  }
  return undefined;
}

const MAX_SETS = 200;

const CLUSTER: HealthRule = [
  healthy(condition('Ready')),
  degraded(condition('Ready', 'False', 'Failed')),
  progressing(condition('Ready', ['False', 'Unknown'])),
  progressing(otherwise, 'No status info available'),
];

/** A job that runs once or by a schedule; `Complete` says of both how the last run went. */
const JOB: HealthRule = [
  degraded(({ status }) => failedJob(status)),
  healthy(conditionAs('{reason} {message}', 'Complete')),
  progressing(conditionAs('{reason} {message}', 'Complete', ['False', 'Unknown'])),
];

/** mariadb-operator, also under the name of its group before it moved. */
const mariadb: HealthRules = {
  'k8s.mariadb.com/Backup': JOB,
  'k8s.mariadb.com/PhysicalBackup': JOB,
  'k8s.mariadb.com/Restore': JOB,
  'k8s.mariadb.com/SqlJob': JOB,
  'k8s.mariadb.com/*': CLUSTER,
  'mariadb.mmontes.io/MariaDB': CLUSTER,
};

/** A failed run of a schedule is reported by the message alone, below a reason that speaks of the schedule. */
function failedJob(status: unknown): string | undefined {
  const complete = conditionsIn(at(status, 'conditions')).find(({ type }) => type === 'Complete');
  if (complete === undefined || (complete.message !== 'Failed' && !complete.reason.endsWith('Failed'))) return undefined;
  return `${complete.reason} ${complete.message}`;
}

const STATUS = 'status.cluster.status';

/** The Operator of MySQL (dev.mysql.com/doc/mysql-operator): states as MySQL Shell has them for a cluster. */
const mysql: HealthRules = {
  'mysql.oracle.com/InnoDBCluster': [
    healthy(field(STATUS, 'ONLINE')),
    degraded(field(STATUS, 'OFFLINE', 'NO_QUORUM', 'SPLIT_BRAIN', 'INVALID', 'ERROR', 'ONLINE_UNCERTAIN', 'OFFLINE_UNCERTAIN')),
    unknown(field(STATUS, 'UNKNOWN')),
    progressing(field(STATUS)),
    progressing(otherwise, 'Waiting for InnoDBCluster'),
  ],
};

const STATE = 'status.state';

/** One word for the cluster, and a count of its nodes. */
function cluster(ready = 'status.ready', size = 'status.size'): HealthRule {
  const nodes = `{${ready}|0}/{${size}|0} node(s) are ready`;
  return [
    healthy(field(STATE, 'ready'), nodes),
    degraded(field(STATE, 'error'), nodes),
    suspended(field(STATE, 'paused'), nodes),
    progressing(field(STATE, 'initializing', 'stopping'), nodes),
    progressing(unreported, 'Waiting for {kind} to report a status'),
    unknown(otherwise, nodes),
  ];
}

/** Databases of Percona (docs.percona.com); their backups and restores have a state that the generic rule reads. */
const percona: HealthRules = {
  'psmdb.percona.com/PerconaServerMongoDB': cluster(),
  'pxc.percona.com/PerconaXtraDBCluster': cluster(),
  'ps.percona.com/PerconaServerMySQL': cluster('status.mysql.ready', 'status.mysql.size'),
  'pgv2.percona.com/PerconaPGCluster': cluster('status.postgres.ready', 'status.postgres.size'),
};

const POSTGRES_OPERATOR_STATUS = 'status.PostgresClusterStatus';

/** Zalando's Postgres Operator (postgres-operator.readthedocs.io): one word for the cluster. */
const postgresOperator: HealthRules = {
  'acid.zalan.do/postgresql': [
    healthy(field(POSTGRES_OPERATOR_STATUS, 'Running')),
    progressing(field(POSTGRES_OPERATOR_STATUS, 'Creating', 'Updating')),
    degraded(field(POSTGRES_OPERATOR_STATUS, 'CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid')),
    progressing(otherwise, 'Waiting for postgres cluster status...'),
  ],
};

const READY = 'status.readyReplicas';

/** Apache Solr (apache.github.io/solr-operator). */
const solr: HealthRules = {
  'solr.apache.org/SolrCloud': [
    progressing(unreported, 'Waiting for solr to exist'),
    progressing(either(fewer(READY, 'status.replicas'), fewer(READY, 'spec.replicas')), 'Not all replicas are ready'),
    healthy(otherwise, 'Solr is ready'),
  ],
  'solr.apache.org/SolrBackup': [
    healthy(field('status.successful', true), 'Backup is finished'),
    suspended(field('spec.recurrence.disabled', true), 'Backups are paused'),
    degraded(field('status.finished', true), 'Backup failed'),
    progressing(otherwise, 'Backup is in progress'),
  ],
};

export const databases: readonly HealthRules[] = [
  atlas,
  cassandra,
  clickhouse,
  cloudnativePg,
  crunchyPostgres,
  mariadb,
  mysql,
  percona,
  postgresOperator,
  solr,
];
