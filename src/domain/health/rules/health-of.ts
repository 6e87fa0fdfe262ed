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
  if (object.metadata.deletionTimestamp !== undefined) return { word: 'Progressing', message: 'It is being deleted' };
  const rule = RULES[ruleKey(object)];
  return rule === undefined ? conditionsHealth(object) : rule(object);
}

/** Whether the kind has a rule of its own, so that the full object is worth reading. */
export function hasHealthRule(apiVersion: string, kind: string): boolean {
  return Object.hasOwn(RULES, ruleKey({ apiVersion, kind }));
}

function ruleKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const { group } = parseApiVersion(apiVersion);
  return `${group === '' ? 'v1' : group}/${kind}`;
}
