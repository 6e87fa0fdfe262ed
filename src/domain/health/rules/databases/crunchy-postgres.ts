import { listAt, numberAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import type { Health } from '../../health.ts';
import { condition, degraded, healthy, present, progressing, suspended, unreported, type HealthRules } from '../rule.ts';

/** Crunchy Postgres for Kubernetes (access.crunchydata.com/documentation/postgres-operator): replicas are counted by set of instances. */
export const crunchyPostgres: HealthRules = {
  'postgres-operator.crunchydata.com/PostgresCluster': [
    suspended(condition('Progressing', 'False', 'Paused')),
    degraded(condition('PersistentVolumeResizeError')),
    incomplete,
    healthy(present('status.instances'), 'All instances are ready'),
    progressing(unreported, 'Waiting for {kind} to report a status'),
  ],
};

function incomplete({ status }: KubeObject): Health | undefined {
  for (const set of listAt(status, 'instances').slice(0, MOST_SETS)) {
    const [ready, wanted] = [numberAt(set, 'readyReplicas') ?? 0, numberAt(set, 'replicas') ?? 0];
    if (ready < wanted)
      return { status: 'Progressing', message: `${ready} of ${wanted} replicas of ${textAt(set, 'name') ?? ''} are ready` };
  }
  return undefined;
}

const MOST_SETS = 200;
