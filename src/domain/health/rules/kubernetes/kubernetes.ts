import { condition, degraded, field, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';
import { autoscalerHealth } from './autoscaler.ts';
import { disruptionBudget } from './disruption-budget.ts';
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
  'batch/CronJob': [suspended(field('spec.suspend', true), 'CronJob is suspended')],
  'apiextensions.k8s.io/CustomResourceDefinition': [
    progressing(condition('Terminating')),
    degraded(condition('NamesAccepted', 'False')),
    healthy(condition('Established')),
    progressing(otherwise, 'Waiting for the CRD to be established'),
  ],
  'policy/PodDisruptionBudget': disruptionBudget,
};
