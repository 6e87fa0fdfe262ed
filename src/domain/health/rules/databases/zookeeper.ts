import { either, fewer, healthy, otherwise, progressing, unreported, type HealthRules } from '../rule.ts';

const READY = 'status.readyReplicas';

/** Apache ZooKeeper by the operator of Pravega (github.com/pravega/zookeeper-operator). */
export const zookeeper: HealthRules = {
  'zookeeper.pravega.io/ZookeeperCluster': [
    progressing(
      either(unreported, fewer(READY, 'status.replicas'), fewer(READY, 'spec.replicas')),
      'Waiting for ZK Nodes to join the ensemble',
    ),
    healthy(otherwise, 'All ZK Nodes have joined the ensemble'),
  ],
};
