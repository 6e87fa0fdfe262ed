import type { Health } from '../../health.ts';
import { at, listAt, numberAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf } from '../conditions.ts';
import { unschedulable } from './unschedulable.ts';

/** Waiting for one of these does not end by itself. */
const BROKEN_WAIT = /(BackOff|Err.*|Invalid.*|.*Error)$/;

/** The life of a Pod (kubernetes.io, "Pod Lifecycle"), with the container that explains it. */
export function podHealth(object: KubeObject): Health {
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
      return { status: 'Progressing', message: pending(object) };
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

function pending(object: KubeObject): string {
  const unscheduled = conditionsOf(object).find((condition) => condition.type === 'PodScheduled' && condition.status === 'False');
  return unscheduled === undefined ? 'Containers are starting' : unschedulable(unscheduled.message) || 'Waiting for a node';
}
