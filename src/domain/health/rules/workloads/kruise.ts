import {
  absent,
  all,
  condition,
  conditionAt,
  degraded,
  either,
  fewer,
  field,
  healthy,
  not,
  otherwise,
  outdated,
  progressing,
  same,
  suspended,
  unknown,
  type HealthRules,
} from '../rule.ts';

const PARTITION = 'spec.updateStrategy.rollingUpdate.partition';
const paused = field('spec.updateStrategy.rollingUpdate.paused', true);
/** A partition keeps some pods at the old revision until somebody lowers it. */
const partitioned = all(field(PARTITION), not(field(PARTITION, 0)));

/** OpenKruise (openkruise.io): workloads whose updates can be paused or kept to a partition. */
export const kruise: HealthRules = {
  'apps.kruise.io/StatefulSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(paused, 'Statefulset is paused'),
    suspended(partitioned, 'Statefulset needs manual intervention'),
    degraded(
      either(
        condition('FailedCreatePod'),
        fewer('status.updatedReadyReplicas', 'status.replicas'),
        fewer('status.updatedAvailableReplicas', 'status.replicas'),
      ),
      'Some replicas are not ready or available',
    ),
    healthy(otherwise, 'All Statefulset workloads are ready and updated'),
  ],
  'game.kruise.io/GameServer': [
    unknown(absent('status.currentState'), 'Waiting for GameServer to be ready'),
    progressing(not(same('status.currentState', 'status.desiredState')), 'State change: {status.currentState} → {status.desiredState}'),
    degraded(conditionAt('status.podStatus.conditions', 'type', ['*', 'False']), 'Pod is not ready: {}'),
    healthy(otherwise, 'GameServer is Ready'),
  ],
  'game.kruise.io/GameServerSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for GameServerSet initialization'),
    suspended(paused, 'GameServerSet is paused'),
    suspended(partitioned, 'Partition={}, waiting for manual intervention'),
    progressing(
      fewer('status.readyReplicas', 'spec.replicas'),
      'ReadyReplicas {status.readyReplicas|0}/{spec.replicas}, still progressing',
    ),
    healthy(otherwise, 'All GameServerSet replicas are updated and ready'),
  ],
  'apps.kruise.io/CloneSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(field('spec.updateStrategy.paused', true), 'CloneSet is paused'),
    progressing(fewer('status.updatedReadyReplicas', 'status.expectedUpdatedReplicas'), 'Waiting for updated replicas to be ready'),
    progressing(fewer('status.readyReplicas', 'spec.replicas'), '{status.readyReplicas|0} of {spec.replicas} replicas are ready'),
    healthy(otherwise, '{status.readyReplicas|0} of {spec.replicas|0} replicas are ready'),
  ],
  'apps.kruise.io/DaemonSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(paused, 'DaemonSet is paused'),
    progressing(fewer('status.updatedNumberScheduled', 'status.desiredNumberScheduled'), 'Waiting for pods to be updated'),
    progressing(fewer('status.numberAvailable', 'status.desiredNumberScheduled'), 'Waiting for pods to be available'),
    healthy(otherwise, '{status.numberAvailable|0} of {status.desiredNumberScheduled|0} pods are available'),
  ],
  'rollouts.kruise.io/Rollout': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(field('status.canaryStatus.currentStepState', 'StepPaused'), '{status.message|Rollout is paused}'),
    healthy(field('status.phase', 'Healthy'), '{status.message|Healthy}'),
    suspended(field('status.phase', 'Disabled'), '{status.message|Rollout is disabled}'),
    progressing(field('status.phase'), '{status.message|Rollout is in progress}'),
  ],
};
