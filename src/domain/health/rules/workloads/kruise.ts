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
};
