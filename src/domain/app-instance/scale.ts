import { numberAt, objectAt } from '../core/read.ts';
import { selectorText } from '../kubernetes/label-selector.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** The pods of a workload: how many there are, and which. */
export interface WorkloadScale {
  readonly replicas: number;
  /** As `kubectl get pods --selector` takes it; absent where the workload selects none. */
  readonly selector?: string;
}

const SCALED = new Set(['apps/Deployment', 'apps/StatefulSet']);

/** The scale of a workload as it is; undefined for all other objects. */
export function workloadScale({ apiVersion, kind, spec, status }: KubeObject): WorkloadScale | undefined {
  if (!SCALED.has(`${parseApiVersion(apiVersion).group}/${kind}`)) return undefined;
  const selector = selectorText(objectAt(spec, 'selector'));
  return { replicas: numberAt(status, 'replicas') ?? 0, ...(selector === '' ? {} : { selector }) };
}

/**
 * The scale of an instance by those of its workloads: the sum of their replicas, and the selector of the only one. Pods of several workloads are not replicas of one
 * another, so they have no selector together: an autoscaler would count them all.
 */
export function instanceScale(workloads: readonly (WorkloadScale | undefined)[]): WorkloadScale {
  const scaled = workloads.filter((one) => one !== undefined);
  const replicas = scaled.reduce((sum, one) => sum + one.replicas, 0);
  const [first, ...others] = scaled;
  return { replicas, ...(first?.selector === undefined || others.length > 0 ? {} : { selector: first.selector }) };
}
