import { at, booleanAt, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { conditionsOf, type ForeignCondition, sentence } from './conditions.ts';
import {
  condition,
  degraded,
  either,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  otherwise,
  outdated,
  progressing,
  reasonOf,
  suspended,
  unreported,
} from './rule.ts';
import { exceedsEveryNode, unschedulable } from './unschedulable.ts';

const BROKEN = ['FailedGetScale', 'FailedUpdateScale', 'FailedGetResourceMetric', 'InvalidSelector', 'FailedGetObjectMetric'];

/** HorizontalPodAutoscaler, whose `autoscaling/v1` form keeps its conditions as JSON in an annotation. */
function autoscalerHealth(object: KubeObject): Health {
  const conditions = object.apiVersion === 'autoscaling/v1' ? annotated(object) : conditionsOf(object);
  const broken = conditions.find((condition) => condition.status === 'False' && BROKEN.includes(condition.reason));
  if (broken !== undefined) return { status: 'Degraded', message: sentence(broken) };
  const able = conditions.find((condition) => condition.status === 'True' && ['AbleToScale', 'ScalingLimited'].includes(condition.type));
  if (able !== undefined) return { status: 'Healthy', message: sentence(able) };
  if (numberAt(object.status, 'currentCPUUtilizationPercentage') !== undefined && conditions.length > 0) {
    return { status: 'Healthy', message: 'Metrics are available' };
  }
  return { status: 'Progressing', message: 'Waiting for the first metrics' };
}

function annotated(object: KubeObject): ForeignCondition[] {
  const text = textAt(object.metadata, 'annotations', 'autoscaling.alpha.kubernetes.io/conditions');
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return conditionsOf({ ...object, status: { conditions: Array.isArray(parsed) ? parsed.filter((item) => isObject(item)) : [] } });
  } catch {
    return [
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: 'The annotation with the conditions cannot be read',
      },
    ];
  }
}

/** A budget that allows no disruption at the moment does what it is there for; one that could not be worked out does not. */
const disruptionBudget: HealthRule = [
  progressing(either(unreported, outdated()), 'Waiting for status'),
  degraded(reasonOf('DisruptionAllowed', '*', 'SyncFailed'), 'PodDisruptionBudget has {}'),
  healthy(reasonOf('DisruptionAllowed', '*'), 'PodDisruptionBudget has {}'),
  healthy(otherwise, 'PodDisruptionBudget is observed'),
];

function jobHealth(object: KubeObject): Health {
  const conditions = conditionsOf(object).filter((condition) => condition.status === 'True');
  const failed = conditions.find((condition) => condition.type === 'Failed');
  if (failed !== undefined) return { status: 'Degraded', message: sentence(failed) };
  const complete = conditions.find((condition) => ['Complete', 'SuccessCriteriaMet'].includes(condition.type));
  if (complete !== undefined) return { status: 'Healthy', message: 'The job completed' };
  if (booleanAt(object.spec, 'suspend') === true) return { status: 'Suspended', message: 'The job is suspended' };
  return { status: 'Progressing', message: 'The job is running' };
}

/** The kinds that the api-server serves itself. */
export const kubernetes: HealthRules = {
  'v1/Pod': [podHealth],
  'v1/Service': [serviceHealth],
  'v1/PersistentVolumeClaim': [claimHealth],
  'apps/Deployment': [deploymentHealth],
  'apps/StatefulSet': [statefulSetHealth],
  'apps/DaemonSet': [daemonSetHealth],
  'apps/ReplicaSet': [replicaSetHealth],
  'batch/Job': [jobHealth],
  'networking.k8s.io/Ingress': [ingressHealth],
  'apiregistration.k8s.io/APIService': [apiServiceHealth],
  'autoscaling/HorizontalPodAutoscaler': [autoscalerHealth],
  'v1/ReplicationController': [replicaSetHealth],
  'v1/Namespace': [progressing(field('status.phase', 'Terminating')), healthy(field('status.phase', 'Active'))],
  'v1/Node': [
    suspended(field('spec.unschedulable', true), 'Scheduling is disabled'),
    healthy(condition('Ready')),
    degraded(condition('Ready', ['False', 'Unknown'])),
  ],
  'v1/PersistentVolume': [
    healthy(field('status.phase', 'Bound', 'Available', 'Released')),
    degraded(field('status.phase', 'Failed'), '{status.message|Failed}'),
    progressing(field('status.phase', 'Pending')),
  ],
  'batch/CronJob': [suspended(field('spec.suspend', true), 'CronJob is suspended'), cronJobHealth],
  'apiextensions.k8s.io/CustomResourceDefinition': [
    progressing(condition('Terminating')),
    degraded(condition('NamesAccepted', 'False')),
    healthy(condition('Established')),
    progressing(otherwise, 'Waiting for the CRD to be established'),
  ],
  'policy/PodDisruptionBudget': disruptionBudget,
};

/** By the last run; one that is not due yet, or runs now, is no reason to wait. */
function cronJobHealth({ status }: KubeObject): Health | undefined {
  const active = listAt(status, 'active').length;
  if (active > 0) return { status: 'Healthy', message: `${active} ${active === 1 ? 'job runs' : 'jobs run'}` };
  const scheduled = textAt(status, 'lastScheduleTime');
  if (scheduled === undefined) return { status: 'Healthy', message: 'No run was due yet' };
  const succeeded = textAt(status, 'lastSuccessfulTime');
  const isPast = succeeded !== undefined && Date.parse(succeeded) >= Date.parse(scheduled);
  return isPast
    ? { status: 'Healthy', message: 'The last run succeeded' }
    : { status: 'Degraded', message: 'The last run did not succeed' };
}

function serviceHealth(object: KubeObject): Health {
  if (textAt(object.spec, 'type') !== 'LoadBalancer') return { status: 'Healthy', message: 'The Service has an address in the cluster' };
  const health = addressHealth(object, 'The load balancer');
  const isNew = health.lacks !== undefined && (textAt(object.spec, 'clusterIP') ?? '') === '';
  return isNew ? { status: 'Progressing', message: 'Waiting for an address in the cluster' } : health;
}

function ingressHealth(object: KubeObject): Health {
  return addressHealth(object, 'The ingress');
}

function claimHealth(object: KubeObject): Health {
  switch (textAt(object.status, 'phase')) {
    case 'Bound':
      return { status: 'Healthy', message: 'Bound to a volume' };
    case 'Lost':
      return { status: 'Degraded', message: 'The volume is lost' };
    case undefined:
    default:
      return { status: 'Progressing', message: 'Waiting for a volume' };
  }
}

/** An address may never come: merged Ingresses, proxies in front and host networks publish none. kstatus and helm count such an object as done, too. */
function addressHealth(object: KubeObject, subject: string): Health {
  const assigned = listAt(object.status, 'loadBalancer', 'ingress').length > 0;
  if (assigned) return { status: 'Healthy', message: `${subject} has an address` };
  return { status: 'Healthy', message: `${subject} has no address yet`, lacks: 'Address' };
}

function apiServiceHealth(object: KubeObject): Health {
  const available = conditionsOf(object).find((condition) => condition.type === 'Available');
  if (available === undefined) return { status: 'Progressing', message: 'Waiting for the first check' };
  return { status: available.status === 'True' ? 'Healthy' : 'Progressing', message: sentence(available) };
}

/** Waiting for one of these does not end by itself. */
const BROKEN_WAIT = /(BackOff|Err.*|Invalid.*|.*Error)$/;

/** The life of a Pod (kubernetes.io, "Pod Lifecycle"), with the container that explains it. */
function podHealth(object: KubeObject): Health {
  const broken = restartsForEver(object) ? brokenContainer(object) : undefined;
  if (broken !== undefined) return { status: 'Degraded', message: broken };
  switch (textAt(object.status, 'phase')) {
    case 'Succeeded':
      return { status: 'Healthy', message: 'The pod completed' };
    case 'Failed':
      return { status: 'Degraded', message: failure(object) };
    case 'Running':
      return runningHealth(object);
    case 'Pending':
      return { status: isTooLarge(object) ? 'Degraded' : 'Progressing', message: pending(object) };
    case undefined:
    default:
      return { status: 'Progressing', message: 'Waiting for the pod to start' };
  }
}

function runningHealth(object: KubeObject): Health {
  if (!restartsForEver(object)) return { status: 'Progressing', message: 'The pod runs until its work is done' };
  const ready = conditionsOf(object).find((condition) => condition.type === 'Ready');
  if (ready?.status === 'True') return { status: 'Healthy', message: 'All containers are ready' };
  const restarted = listAt(object.status, 'containerStatuses').find((status) => at(status, 'lastState', 'terminated') !== undefined);
  if (restarted !== undefined) {
    const name = textAt(restarted, 'name') ?? '';
    return {
      status: 'Degraded',
      message: `Container ${name} ended and was started again: ${textAt(restarted, 'lastState', 'terminated', 'reason') ?? ''}`,
    };
  }
  return { status: 'Progressing', message: ready?.message || 'Waiting for containers to be ready' };
}

/** A pod that is to run to its end is judged by its end alone, unless an annotation in common use says that it is a server all the same. */
function restartsForEver(object: KubeObject): boolean {
  if ((textAt(object.spec, 'restartPolicy') ?? 'Always') === 'Always') return true;
  const annotations = at(object.metadata, 'annotations');
  return at(annotations, 'argocd.argoproj.io/ignore-restart-policy') === 'true' && at(annotations, 'argocd.argoproj.io/hook') === undefined;
}

function brokenContainer(object: KubeObject): string | undefined {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const broken = statuses.find((status) => BROKEN_WAIT.test(textAt(status, 'state', 'waiting', 'reason') ?? ''));
  if (broken === undefined) return undefined;
  const message = textAt(broken, 'state', 'waiting', 'message') ?? '';
  return `Container ${textAt(broken, 'name') ?? ''}: ${textAt(broken, 'state', 'waiting', 'reason') ?? ''}${message === '' ? '' : `: ${message}`}`;
}

function failure(object: KubeObject): string {
  const stated = textAt(object.status, 'message') ?? textAt(object.status, 'reason');
  if (stated !== undefined) return stated;
  const ended = listAt(object.status, 'containerStatuses').find(
    (status) => (numberAt(status, 'state', 'terminated', 'exitCode') ?? 0) !== 0,
  );
  if (ended === undefined) return 'The pod failed';
  return `Container ${textAt(ended, 'name') ?? ''} ended with exit code ${numberAt(ended, 'state', 'terminated', 'exitCode') ?? ''}`;
}

function isTooLarge(object: KubeObject): boolean {
  return exceedsEveryNode(notScheduled(object)?.message ?? '');
}

function notScheduled(object: KubeObject): ForeignCondition | undefined {
  return conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
}

function pending(object: KubeObject): string {
  const unscheduled = notScheduled(object);
  return unscheduled === undefined ? 'Containers are starting' : unschedulable(unscheduled.message) || 'Waiting for a node';
}

const NOT_TAKEN_UP: Health = { status: 'Progressing', message: 'The controller has not observed the latest change yet' };

function deploymentHealth(object: KubeObject): Health {
  if (booleanAt(object.spec, 'paused') === true) return { status: 'Suspended', message: 'The rollout is paused' };
  if (isBehind(object)) return NOT_TAKEN_UP;
  const progressing = conditionsOf(object).find((condition) => condition.type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return { status: 'Degraded', message: sentence(progressing) };
  const failure = conditionsOf(object).find((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True');
  if (failure !== undefined) return { status: 'Degraded', message: sentence(failure) };

  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  const counts = replicaCounts(object);
  if (counts.updated < wanted) return { status: 'Progressing', message: `${counts.updated} of ${wanted} pods are updated` };
  if (counts.total > counts.updated) return { status: 'Progressing', message: `${counts.total - counts.updated} old pods remain` };
  if (counts.available < counts.updated)
    return { status: 'Progressing', message: `${counts.available} of ${counts.updated} pods are available` };
  return { status: 'Healthy', message: `${counts.available} of ${wanted} pods are available` };
}

function statefulSetHealth(object: KubeObject): Health {
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

function daemonSetHealth(object: KubeObject): Health {
  if (isBehind(object)) return NOT_TAKEN_UP;
  const wanted = numberAt(object.status, 'desiredNumberScheduled') ?? 0;
  const updated = numberAt(object.status, 'updatedNumberScheduled') ?? 0;
  const available = numberAt(object.status, 'numberAvailable') ?? 0;
  const onDelete = textAt(object.spec, 'updateStrategy', 'type') === 'OnDelete';
  if (!onDelete && updated < wanted) return { status: 'Progressing', message: `${updated} of ${wanted} pods are updated` };
  if (!onDelete && available < wanted) return { status: 'Progressing', message: `${available} of ${wanted} pods are available` };
  return { status: 'Healthy', message: `${available} of ${wanted} pods are available` };
}

function replicaSetHealth(object: KubeObject): Health {
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
