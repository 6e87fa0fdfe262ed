import type { Health } from '../health.ts';
import { parseApiVersion, type KubeObject } from '../../kubernetes/resource.ts';
import { autoscalerHealth } from './autoscaler.ts';
import { conditionsHealth } from './conditions.ts';
import { jobHealth } from './job.ts';
import { apiServiceHealth, claimHealth, ingressHealth, serviceHealth } from './network-storage.ts';
import { podHealth } from './pod.ts';
import { daemonSetHealth, deploymentHealth, replicaSetHealth, statefulSetHealth } from './workloads.ts';

type Rule = (object: KubeObject) => Health | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  'v1/Pod': podHealth,
  'v1/Service': serviceHealth,
  'v1/PersistentVolumeClaim': claimHealth,
  'apps/Deployment': deploymentHealth,
  'apps/StatefulSet': statefulSetHealth,
  'apps/DaemonSet': daemonSetHealth,
  'apps/ReplicaSet': replicaSetHealth,
  'batch/Job': jobHealth,
  'networking.k8s.io/Ingress': ingressHealth,
  'apiregistration.k8s.io/APIService': apiServiceHealth,
  'autoscaling/HorizontalPodAutoscaler': autoscalerHealth,
};

/**
 * The health of one object by the rule of its kind; by its conditions where the kind has no rule; undefined where it has neither, because
 * a kind that says nothing about itself is not thereby healthy.
 */
export function healthOf(object: KubeObject): Health | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return { status: 'Progressing', message: 'It is being deleted' };
  const rule = RULES[ruleKey(object)];
  return rule === undefined ? conditionsHealth(object) : rule(object);
}

/** Groups that the api-server serves itself. CRDs of Kubernetes projects lie deeper, such as gateway.networking.k8s.io. */
const BUILT_IN = /^([a-z]*|[a-z]+\.k8s\.io|rbac\.authorization\.k8s\.io|(flowcontrol|internal)\.apiserver\.k8s\.io)$/;

/**
 * Where the health of objects of a kind stands: a rule of its own reads the full object, a custom resource may have conditions, and all others say nothing about
 * themselves, so that their metadata is enough.
 */
export function healthSource(apiVersion: string, kind: string): 'rule' | 'conditions' | 'none' {
  if (Object.hasOwn(RULES, ruleKey({ apiVersion, kind }))) return 'rule';
  return BUILT_IN.test(parseApiVersion(apiVersion).group) ? 'none' : 'conditions';
}

function ruleKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const { group } = parseApiVersion(apiVersion);
  return `${group === '' ? 'v1' : group}/${kind}`;
}
