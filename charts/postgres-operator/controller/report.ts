import type { ConditionInput } from '../../../src/domain/kubernetes/condition.ts';
import { listAt, textAt } from '../../../src/domain/core/read.ts';
import type { LiveObject } from '../../controller-runtime/kube-object.ts';
import type { Observed, Report } from '../../controller-runtime/managed-kind.ts';
import { selectorText } from '../../controller-runtime/pod-parts.ts';
import { phaseOf, rolloutConditions, rolloutOf } from '../../controller-runtime/rollout.ts';
import { type PostgresCluster, readPostgresCluster, selectorOf } from './postgres-cluster.ts';

/** The status of a cluster: its pods, then its databases, then its backups. */
export function report(parent: LiveObject, { children }: Observed, growthFaults: readonly string[]): Report {
  const cluster = readPostgresCluster(parent);
  const { names, namespace, spec } = cluster;
  const rollout = rolloutOf(children.find(({ kind }) => kind === 'StatefulSet'));
  const databases = databasesCondition(children.find(({ kind }) => kind === 'Job'));
  const cronJob = children.find(({ kind }) => kind === 'CronJob');
  const conditions = [
    ...together(rolloutConditions(rollout, 'instances'), databases),
    databases,
    ...backupCondition(cluster, cronJob),
    ...growthFaults.slice(0, 1).map((message) => ({ type: 'StorageGrown', status: 'False', reason: 'Rejected', message }) as const),
  ];
  const lastBackupTime = textAt(cronJob?.status, 'lastSuccessfulTime');
  return {
    phase: phaseOf(parent, conditions),
    conditions,
    fields: {
      replicas: rollout.existing,
      readyReplicas: rollout.ready,
      selector: selectorText(selectorOf(cluster)),
      endpoint: `${names.main}.${namespace}.svc:${spec.exposure.port}`,
      ...(spec.instances > 1 ? { readEndpoint: `${names.read}.${namespace}.svc:${spec.exposure.port}` } : {}),
      secretName: names.secret,
      ...(lastBackupTime === undefined ? {} : { lastBackupTime }),
    },
  };
}

/** Servers without their databases are of no use to anybody: Ready needs both. */
function together([ready, progressing]: readonly [ConditionInput, ConditionInput], databases: ConditionInput): readonly ConditionInput[] {
  if (ready.status !== 'True' || databases.status === 'True') return [ready, progressing];
  const { status, reason, message } = databases;
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Progressing', status: status === 'Unknown' ? 'True' : 'False', reason, message },
  ];
}

function databasesCondition(job: LiveObject | undefined): ConditionInput {
  const type = 'DatabasesReady';
  const has = (wanted: string): unknown =>
    listAt(job?.status, 'conditions').find((condition) => textAt(condition, 'type') === wanted && textAt(condition, 'status') === 'True');
  if (has('Complete') !== undefined) return { type, status: 'True', reason: 'Made', message: 'All databases and users are there' };
  const failed = has('Failed');
  if (failed !== undefined) {
    const message = `The job '${job?.metadata.name}' that makes databases and users failed: ${textAt(failed, 'message') ?? 'no message'}`;
    return { type, status: 'False', reason: 'SetupFailed', message };
  }
  return { type, status: 'Unknown', reason: 'SettingUp', message: 'Databases and users are being made' };
}

function backupCondition({ spec }: PostgresCluster, cronJob: LiveObject | undefined): readonly ConditionInput[] {
  if (!spec.backup.enabled) return [];
  const last = textAt(cronJob?.status, 'lastSuccessfulTime');
  const message = last === undefined ? 'No backup was made yet' : `The last backup was made at ${last}`;
  return [
    { type: 'BackedUp', status: last === undefined ? 'Unknown' : 'True', reason: last === undefined ? 'NotYet' : 'Succeeded', message },
  ];
}
