import type { HealthRules } from '../rule.ts';
import { autoscalerHealth } from './autoscaler.ts';
import { jobHealth } from './job.ts';
import { apiServiceHealth, claimHealth, ingressHealth, serviceHealth } from './network-storage.ts';
import { podHealth } from './pod.ts';
import { daemonSetHealth, deploymentHealth, replicaSetHealth, statefulSetHealth } from './workloads.ts';

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
};
