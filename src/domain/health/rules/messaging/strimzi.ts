import {
  condition,
  degraded,
  evenWhenDeleted,
  healthy,
  otherwise,
  progressing,
  suspended,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

function rule(waiting: string): HealthRule {
  return [
    suspended(condition('ReconciliationPaused')),
    degraded(condition('NotReady')),
    healthy(condition('Ready')),
    progressing(otherwise, `Waiting for ${waiting}`),
  ];
}

/** Strimzi (strimzi.io): `NotReady` stands in the place of a `Ready` that is false. */
export const strimzi: HealthRules = {
  'kafka.strimzi.io/Kafka': rule('Kafka Cluster'),
  'kafka.strimzi.io/KafkaTopic': rule('Kafka Topic'),
  'kafka.strimzi.io/KafkaUser': rule('Kafka User'),
  'kafka.strimzi.io/KafkaBridge': [evenWhenDeleted, ...rule('{kind}')],
  'kafka.strimzi.io/KafkaConnector': [evenWhenDeleted, ...rule('{kind}')],
  'kafka.strimzi.io/KafkaConnect': rule('{kind}'),
  'kafka.strimzi.io/KafkaMirrorMaker': rule('{kind}'),
  'kafka.strimzi.io/KafkaMirrorMaker2': rule('{kind}'),
};
