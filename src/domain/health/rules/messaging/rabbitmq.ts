import {
  all,
  condition,
  degraded,
  healthy,
  not,
  otherwise,
  present,
  progressing,
  unknown,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

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
export const rabbitmq: HealthRules = {
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
