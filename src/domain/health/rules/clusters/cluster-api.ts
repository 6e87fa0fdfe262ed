import {
  condition,
  degraded,
  fewer,
  field,
  healthy,
  otherwise,
  outdated,
  present,
  progressing,
  suspended,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** Cluster API (cluster-api.sigs.k8s.io): machines are counted, resources of a cluster are applied once. */
export const clusterApi: HealthRules = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': [
    progressing(outdated(), 'Initializing cluster resource set'),
    healthy(condition('ResourcesApplied'), 'cluster resource set is applied'),
    degraded(condition('ResourcesApplied', 'False')),
    progressing(otherwise, 'Initializing cluster resource set'),
  ],
  'cluster.x-k8s.io/MachineDeployment': [
    suspended(field('spec.paused', true), 'MachineDeployment is paused'),
    progressing(field(PHASE, 'ScalingUp'), 'Cluster is spawning machines'),
    progressing(field(PHASE, 'ScalingDown'), 'Cluster is stopping machines'),
    degraded(field(PHASE, 'Failed'), 'MachineDeployment is failed'),
    healthy(field(PHASE, 'Running'), 'Machines are running under this deployment'),
  ],
  'cluster.x-k8s.io/MachineHealthCheck': [
    degraded(condition('RemediationAllowed', 'False')),
    degraded(
      fewer('status.currentHealthy', 'status.expectedMachines'),
      '{status.currentHealthy|0} of {status.expectedMachines} machines are healthy',
    ),
    healthy(present('status.expectedMachines'), '{status.currentHealthy|0} of {status.expectedMachines} machines are healthy'),
  ],
};
