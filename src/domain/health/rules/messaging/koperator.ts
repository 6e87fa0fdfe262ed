import { objectAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { all, degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

const STATE = 'status.state';
const controlReady = field('status.cruiseControlTopicStatus', 'CruiseControlTopicReady');

/** Koperator (github.com/banzaicloud/koperator): the cluster has one state, each broker and the topic of Cruise Control another. */
export const koperator: HealthRules = {
  'kafka.banzaicloud.io/KafkaCluster': [
    degraded(
      all(field(STATE, 'ClusterRunning'), controlReady, unsynced),
      'Broker Config is out of Sync or CruiseControlState is not Ready',
    ),
    healthy(all(field(STATE, 'ClusterRunning'), controlReady), 'Kafka Brokers, CruiseControl and cluster are in Healthy State.'),
    progressing(field(STATE, 'ClusterReconciling'), 'Kafka Cluster is Reconciling.'),
    progressing(field(STATE, 'ClusterRollingUpgrading'), 'Kafka Cluster is Rolling Upgrading.'),
    progressing(otherwise, 'Waiting for KafkaCluster'),
  ],
};

/** One broker at least runs with another configuration than it has to, or was not moved as it was asked to. */
function unsynced({ status }: KubeObject): string | undefined {
  const brokers = Object.values(objectAt(status, 'brokersState'));
  const isSynced = (broker: unknown): boolean =>
    textAt(broker, 'configurationState') === 'ConfigInSync' &&
    ['GracefulUpscaleSucceeded', 'GracefulDownscaleSucceeded', undefined].includes(
      textAt(broker, 'gracefulActionState', 'cruiseControlState'),
    );
  return brokers.every(isSynced) ? undefined : '';
}
