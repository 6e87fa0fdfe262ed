import {
  condition,
  degraded,
  either,
  fewer,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  suspended,
  unreported,
  type HealthRules,
} from '../rule.ts';

/** OpenShift's own Deployment, with the same conditions as the one of Kubernetes. */
export const deploymentConfig: HealthRules = {
  'apps.openshift.io/DeploymentConfig': [
    suspended(field('spec.paused', true), 'The rollout is paused'),
    progressing(either(unreported, outdated()), 'Waiting for the rollout to start'),
    degraded(condition('ReplicaFailure')),
    degraded(condition('Progressing', 'False')),
    progressing(fewer('status.updatedReplicas', 'spec.replicas'), '{status.updatedReplicas|0} of {spec.replicas} pods are updated'),
    progressing(fewer('status.availableReplicas', 'spec.replicas'), '{status.availableReplicas|0} of {spec.replicas} pods are available'),
    healthy(otherwise, '{status.availableReplicas|0} of {spec.replicas|0} pods are available'),
  ],
};
