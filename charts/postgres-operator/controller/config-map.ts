import type { Manifest } from '../../controller-runtime/kube-object.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { CREDENTIALS, setupSql } from './setup-sql.ts';

/** Where the ConfigMap is mounted. */
export const CONFIG = '/etc/postgresql';

/** The settings of PostgreSQL, the script that starts a pod, and what is run once when the database is empty and whenever users or databases change. */
export function configMap(cluster: PostgresCluster): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: cluster.namespace, name: cluster.names.config },
    data: {
      'postgresql.conf': postgresqlConf(cluster),
      'pg_hba.conf': HBA,
      'start.sh': startScript(cluster),
      'replicator.sh': REPLICATOR,
      'setup.sql': setupSql(cluster.spec),
    },
  };
}

/** The files that a running server has read: a change in one of these needs a restart. The others are read by jobs. */
export function serverFiles(config: Manifest): readonly (string | undefined)[] {
  return ['postgresql.conf', 'pg_hba.conf', 'start.sh'].map((name) => config.data?.[name]);
}

function postgresqlConf({ spec }: PostgresCluster): string {
  const { mode, minSyncReplicas } = spec.replication;
  const own = [
    "listen_addresses = '*'",
    `hba_file = '${CONFIG}/pg_hba.conf'`,
    "unix_socket_directories = '/var/run/postgresql'",
    "password_encryption = 'scram-sha-256'",
    "wal_level = 'replica'",
    'hot_standby = on',
    'max_wal_senders = 10',
    "wal_keep_size = '256MB'",
    ...(spec.timeZone === undefined ? [] : [`timezone = '${spec.timeZone}'`]),
    ...(mode === 'Synchronous' ? [`synchronous_standby_names = 'ANY ${minSyncReplicas} (*)'`] : []),
  ];
  const asked = Object.entries(spec.parameters ?? {})
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name} = '${value}'`);
  return [...own, ...asked, ''].join('\n');
}

const HBA = [
  'local all all trust',
  'host all all 127.0.0.1/32 scram-sha-256',
  'host all all ::1/128 scram-sha-256',
  'host replication replicator all scram-sha-256',
  'host all all all scram-sha-256',
  '',
].join('\n');

/** Runs inside the image's own first start, when the data folder is empty. */
const REPLICATOR = [
  `psql --set ON_ERROR_STOP=on --username postgres --set password="$(cat ${CREDENTIALS}/password-replicator)" <<'SQL'`,
  // No follower can confirm anything yet: they log in with this very role.
  'SET synchronous_commit = local;',
  "CREATE ROLE replicator WITH LOGIN REPLICATION PASSWORD :'password';",
  'SQL',
  '',
].join('\n');

/** Pod 0 takes writes. The others copy its data once and follow it from then on. */
function startScript({ names, namespace }: PostgresCluster): string {
  const first = `${names.main}-0`;
  return [
    '#!/bin/sh',
    'set -eu',
    `if [ "$POD_NAME" = "${first}" ]; then`,
    `  exec docker-entrypoint.sh postgres -c config_file=${CONFIG}/postgresql.conf`,
    'fi',
    'umask 077',
    `first=${first}.${names.nodes}.${namespace}.svc`,
    `printf '*:*:*:replicator:%s\\n' "$(cat ${CREDENTIALS}/password-replicator)" > /tmp/pgpass`,
    'export PGPASSFILE=/tmp/pgpass',
    'if [ ! -s "$PGDATA/PG_VERSION" ]; then',
    '  until pg_isready --quiet --host "$first"; do sleep 2; done',
    '  rm -rf "$PGDATA.partial"',
    '  pg_basebackup --host "$first" --username replicator --pgdata "$PGDATA.partial" --wal-method stream --checkpoint fast --write-recovery-conf',
    '  mv "$PGDATA.partial" "$PGDATA"',
    'fi',
    `exec postgres -c config_file=${CONFIG}/postgresql.conf \\`,
    '  -c primary_conninfo="host=$first user=replicator passfile=$PGPASSFILE application_name=$POD_NAME"',
    '',
  ].join('\n');
}
