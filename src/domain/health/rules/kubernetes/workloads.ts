import type { Health } from '../../health.ts';
import { booleanAt, numberAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf, sentence } from '../conditions.ts';

const NOT_TAKEN_UP: Health = { status: 'Progressing', message: 'The latest change is not taken up yet' };

export function deploymentHealth(object: KubeObject): Health {
  if (booleanAt(object.spec, 'paused') === true) return { status: 'Suspended', message: 'The rollout is paused' };
  if (isBehind(object)) return NOT_TAKEN_UP;
  const progressing = conditionsOf(object).find((condition) => condition.type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return { status: 'Degraded', message: sentence(progressing) };
  const failure = conditionsOf(object).find((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True');
  if (failure !== undefined) return { status: 'Degraded', message: sentence(failure) };

  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  const counts = replicaCounts(object);
  if (counts.updated < wanted) return { status: 'Progressing', message: `${counts.updated} of ${wanted} pods are updated` };
  if (counts.total > counts.updated) return { status: 'Progressing', message: `${counts.total - counts.updated} old pods are still to go` };
  if (counts.available < counts.updated)
    return { status: 'Progressing', message: `${counts.available} of ${counts.updated} pods are available` };
  return { status: 'Healthy', message: `${counts.available} of ${wanted} pods are available` };
}

export function statefulSetHealth(object: KubeObject): Health {
  if (isBehind(object)) return NOT_TAKEN_UP;
  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  const counts = replicaCounts(object);
  if (counts.ready < wanted) return { status: 'Progressing', message: `${counts.ready} of ${wanted} pods are ready` };
  if (textAt(object.spec, 'updateStrategy', 'type') === 'OnDelete')
    return { status: 'Healthy', message: `${counts.ready} of ${wanted} pods are ready` };
  const partition = numberAt(object.spec, 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  if (partition > 0 && counts.updated < wanted - partition) {
    return { status: 'Progressing', message: `${counts.updated} of ${wanted - partition} pods of the partition are updated` };
  }
  const behind = textAt(object.status, 'updateRevision') !== textAt(object.status, 'currentRevision');
  if (partition === 0 && behind) return { status: 'Progressing', message: `${counts.updated} of ${wanted} pods are updated` };
  return { status: 'Healthy', message: `${counts.ready} of ${wanted} pods are ready` };
}

export function daemonSetHealth(object: KubeObject): Health {
  if (isBehind(object)) return NOT_TAKEN_UP;
  const wanted = numberAt(object.status, 'desiredNumberScheduled') ?? 0;
  const updated = numberAt(object.status, 'updatedNumberScheduled') ?? 0;
  const available = numberAt(object.status, 'numberAvailable') ?? 0;
  const onDelete = textAt(object.spec, 'updateStrategy', 'type') === 'OnDelete';
  if (!onDelete && updated < wanted) return { status: 'Progressing', message: `${updated} of ${wanted} pods are updated` };
  if (!onDelete && available < wanted) return { status: 'Progressing', message: `${available} of ${wanted} pods are available` };
  return { status: 'Healthy', message: `${available} of ${wanted} pods are available` };
}

export function replicaSetHealth(object: KubeObject): Health {
  if (isBehind(object)) return NOT_TAKEN_UP;
  const failure = conditionsOf(object).find((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True');
  if (failure !== undefined) return { status: 'Degraded', message: sentence(failure) };
  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  const { available } = replicaCounts(object);
  const word = available < wanted ? 'Progressing' : 'Healthy';
  return { status: word, message: `${available} of ${wanted} pods are available` };
}

function isBehind(object: KubeObject): boolean {
  const observed = numberAt(object.status, 'observedGeneration');
  return observed === undefined || observed < (numberAt(object.metadata, 'generation') ?? 0);
}

function replicaCounts({ status }: KubeObject): { total: number; updated: number; ready: number; available: number } {
  return {
    total: numberAt(status, 'replicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready: numberAt(status, 'readyReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}
