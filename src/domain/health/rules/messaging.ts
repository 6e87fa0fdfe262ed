import { objectAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import {
  all,
  condition,
  degraded,
  either,
  evenWhenDeleted,
  fewer,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  not,
  otherwise,
  present,
  progressing,
  suspended,
  unknown,
  unreported,
} from './rule.ts';

const PHASE = 'status.phase';
const READY = 'status.readyReplicas';

/** Confluent for Kubernetes (docs.confluent.io/operator): components and what is made in them have the same phases. */
const confluent: HealthRules = {
  'platform.confluent.io/*': [
    healthy(field(PHASE, 'RUNNING'), '{kind} running'),
    progressing(field(PHASE, 'PROVISIONING'), '{kind} provisioning'),
    degraded(field(PHASE, 'FAILED', 'ERROR', 'DEGRADED'), '{kind} failed'),
    progressing(unreported, 'Waiting for {kind}'),
  ],
};

const STATE = 'status.state';
const controlReady = field('status.cruiseControlTopicStatus', 'CruiseControlTopicReady');

/** Koperator (github.com/banzaicloud/koperator): the cluster has one state, each broker and the topic of Cruise Control another. */
const koperator: HealthRules = {
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

/** What is declared in a cluster; the controller has the one condition `Ready`. */
function declared(name: string): HealthRule {
  return [
    healthy(condition('Ready'), `RabbitMQ ${name} ready`),
    degraded(condition('Ready', 'False'), `{|RabbitMQ ${name} failed to be created or updated}`),
    unknown(otherwise, `RabbitMQ ${name} status is unknown`),
  ];
}

/** A cluster that is reconciled, reached and complete, in this order. `NoWarnings` is about advice, such as limits of memory that differ from requests. */
const cluster: HealthRule = [
  progressing(not(present('status.conditions')), 'Waiting for RabbitMQ Operator'),
  degraded(condition('ReconcileSuccess', 'False')),
  progressing(
    condition(['ClusterAvailable', 'AllReplicasReady'], 'Unknown'),
    'Waiting for RabbitMQ cluster readiness (conditions unknown)',
  ),
  progressing(condition('ClusterAvailable', 'False'), 'Waiting for RabbitMQ cluster formation'),
  progressing(condition('AllReplicasReady', 'False'), 'Waiting for RabbitMQ instances ready'),
  healthy(all(condition('ClusterAvailable'), condition('AllReplicasReady')), 'RabbitMQ cluster ready'),
  progressing(otherwise, 'Waiting for RabbitMQ cluster readiness (conditions unknown)'),
];

/** The operators of RabbitMQ for clusters and for what lies in them (rabbitmq.com/kubernetes/operator). */
const rabbitmq: HealthRules = {
  'rabbitmq.com/RabbitmqCluster': cluster,
  'rabbitmq.com/Binding': declared('binding'),
  'rabbitmq.com/Exchange': declared('exchange'),
  'rabbitmq.com/Federation': declared('federation'),
  'rabbitmq.com/OperatorPolicy': declared('operator policy'),
  'rabbitmq.com/Permission': declared('permission'),
  'rabbitmq.com/Policy': declared('policy'),
  'rabbitmq.com/Queue': declared('queue'),
  'rabbitmq.com/SchemaReplication': declared('schema replication'),
  'rabbitmq.com/Shovel': declared('shovel'),
  'rabbitmq.com/SuperStream': declared('super stream'),
  'rabbitmq.com/TopicPermission': declared('topic permission'),
  'rabbitmq.com/User': declared('user'),
  'rabbitmq.com/Vhost': declared('vhost'),
};

function rule(waiting: string): HealthRule {
  return [
    suspended(condition('ReconciliationPaused')),
    degraded(condition('NotReady')),
    healthy(condition('Ready')),
    progressing(otherwise, `Waiting for ${waiting}`),
  ];
}

/** Strimzi (strimzi.io): `NotReady` stands in the place of a `Ready` that is false. */
const strimzi: HealthRules = {
  'kafka.strimzi.io/Kafka': rule('Kafka Cluster'),
  'kafka.strimzi.io/KafkaTopic': rule('Kafka Topic'),
  'kafka.strimzi.io/KafkaUser': rule('Kafka User'),
  'kafka.strimzi.io/KafkaBridge': [evenWhenDeleted, ...rule('{kind}')],
  'kafka.strimzi.io/KafkaConnector': [evenWhenDeleted, ...rule('{kind}')],
  'kafka.strimzi.io/KafkaConnect': rule('{kind}'),
  'kafka.strimzi.io/KafkaMirrorMaker': rule('{kind}'),
  'kafka.strimzi.io/KafkaMirrorMaker2': rule('{kind}'),
  'kafka.strimzi.io/KafkaRebalance': [
    degraded(condition('NotReady')),
    suspended(condition('ProposalReady'), '{|The proposal waits for approval}'),
    progressing(unreported, 'Waiting for {kind} to report a status'),
  ],
};

/** Apache ZooKeeper by the operator of Pravega (github.com/pravega/zookeeper-operator). */
const zookeeper: HealthRules = {
  'zookeeper.pravega.io/ZookeeperCluster': [
    progressing(
      either(unreported, fewer(READY, 'status.replicas'), fewer(READY, 'spec.replicas')),
      'Waiting for ZK Nodes to join the ensemble',
    ),
    healthy(otherwise, 'All ZK Nodes have joined the ensemble'),
  ],
};

export const messaging: readonly HealthRules[] = [confluent, koperator, rabbitmq, strimzi, zookeeper];
