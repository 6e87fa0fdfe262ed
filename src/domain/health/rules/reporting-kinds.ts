import { progressing, unreported, type HealthRule, type HealthRules } from './rule.ts';

/**
 * Kinds that the generic rule reads well, and whose controllers report a status of each object: as long as there is none, the object waits for its controller.
 * Kinds that are only read by others, such as templates and classes, are not among them.
 */
const REPORTING: Readonly<Record<string, readonly string[]>> = {
  'acme.cert-manager.io': ['Challenge', 'Order'],
  'apps.3scale.net': ['APIManager'],
  'apps.emqx.io': ['EMQX'],
  'batch.volcano.sh': ['Job'],
  'bootstrap.cluster.x-k8s.io': ['KubeadmConfig'],
  'broker.amq.io': ['ActiveMQArtemis'],
  'build.openshift.io': ['Build'],
  'cassandra.datastax.com': ['CassandraDatacenter'],
  'cert-manager.io': ['CertificateRequest'],
  'cluster.x-k8s.io': ['Cluster', 'Machine', 'MachinePool', 'MachineSet'],
  'coherence.oracle.com': ['Coherence'],
  'controlplane.cluster.x-k8s.io': ['KubeadmControlPlane'],
  'couchbase.com': ['CouchbaseBackup', 'CouchbaseCluster'],
  'databases.schemahero.io': ['Database'],
  'datadoghq.com': ['DatadogAgent', 'DatadogMonitor'],
  'eventing.knative.dev': ['Broker', 'Trigger'],
  'helm.cattle.io': ['HelmChart'],
  'infinispan.org': ['Cache', 'Infinispan'],
  'k8ssandra.io': ['K8ssandraCluster'],
  'kafka.strimzi.io': ['KafkaRebalance'],
  'kubeflow.org': ['MPIJob', 'Notebook', 'PyTorchJob', 'TFJob', 'XGBoostJob'],
  'machine.openshift.io': ['Machine', 'MachineSet'],
  'machinelearning.seldon.io': ['SeldonDeployment'],
  'management.cattle.io': ['Cluster'],
  'messaging.knative.dev': ['Channel', 'InMemoryChannel', 'Subscription'],
  'mongodb.com': ['MongoDB', 'MongoDBMultiCluster', 'MongoDBOpsManager', 'MongoDBUser'],
  'mongodbcommunity.mongodb.com': ['MongoDBCommunity'],
  'networking.gke.io': ['ManagedCertificate'],
  'operator.cluster.x-k8s.io': ['BootstrapProvider', 'ControlPlaneProvider', 'CoreProvider', 'InfrastructureProvider'],
  'opensearch.opster.io': ['OpenSearchCluster'],
  'pgv2.percona.com': ['PerconaPGBackup', 'PerconaPGRestore'],
  'pkg.crossplane.io': ['Configuration', 'ConfigurationRevision', 'Function', 'FunctionRevision', 'Provider', 'ProviderRevision'],
  'apiextensions.crossplane.io': ['CompositeResourceDefinition'],
  'provisioning.cattle.io': ['Cluster'],
  'ps.percona.com': ['PerconaServerMySQLBackup', 'PerconaServerMySQLRestore'],
  'psmdb.percona.com': ['PerconaServerMongoDBBackup', 'PerconaServerMongoDBRestore'],
  'pxc.percona.com': ['PerconaXtraDBClusterBackup', 'PerconaXtraDBClusterRestore'],
  'ray.io': ['RayCluster', 'RayJob', 'RayService'],
  'scylla.scylladb.com': ['ScyllaCluster'],
  'sources.knative.dev': ['ApiServerSource', 'ContainerSource', 'PingSource', 'SinkBinding'],
  'stackgres.io': ['SGBackup', 'SGCluster', 'SGDbOps'],
  'trust.cert-manager.io': ['Bundle'],
  'velero.io': ['Backup', 'BackupStorageLocation', 'Restore'],
  'fleet.cattle.io': ['Bundle', 'GitRepo'],
  'loki.grafana.com': ['LokiStack'],
  'hive.openshift.io': ['ClusterDeployment'],
};

const RULE: HealthRule = [progressing(unreported, 'Waiting for {kind} to report a status')];

export const reportingKinds: HealthRules = Object.fromEntries(
  Object.entries(REPORTING).flatMap(([group, kinds]) => kinds.map((kind) => [`${group}/${kind}`, RULE])),
);
