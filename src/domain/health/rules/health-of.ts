import { type KubeObject, parseApiVersion } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { cloud } from './cloud.ts';
import { conditionsOf } from './conditions.ts';
import { clusters } from './clusters.ts';
import { databases } from './databases.ts';
import { delivery } from './delivery.ts';
import { gatewayApi } from './gateway-api.ts';
import { genericHealth, isOutdated, OUTDATED } from './generic.ts';
import { kubernetes } from './kubernetes.ts';
import { messaging } from './messaging.ts';
import { networking } from './networking.ts';
import { observability } from './observability.ts';
import { promoter } from './promotion.ts';
import { deleted, evenWhenDeleted, type HealthRule, type HealthRules, progressing, unreported } from './rule.ts';
import { security } from './security.ts';
import { storage } from './storage.ts';
import { workloads } from './workloads.ts';

/** A health, and the rule that gave it: `apps/Deployment`, `generic`, or the place of a custom rule. */
export interface JudgedHealth extends Health {
  readonly rule: string;
}

/** What custom rules say of objects; they are evaluated when these are read, many at once. */
const custom = new WeakMap<KubeObject, JudgedHealth>();
let version = 0;

/** Another number whenever custom rules say something else of an object than before. */
export function customHealthVersion(): number {
  return version;
}

/** Has `healthOf` answer for this very object with what a custom rule says; undefined: with the built-in rules again. */
export function setCustomHealth(object: KubeObject, health: JudgedHealth | undefined): void {
  const before = custom.get(object);
  if (before?.status !== health?.status || before?.message !== health?.message) version += 1;
  if (health === undefined) custom.delete(object);
  else custom.set(object, health);
}

/** Whether a custom rule says something of this very object. */
export function hasCustomHealth(object: KubeObject): boolean {
  return custom.has(object);
}

/**
 * The health of one object by a custom rule, where one was evaluated and matched; else by the rule of its kind; by the generic rule where the kind has none; undefined
 * where it has no conditions either, because a kind that says nothing about itself is not thereby healthy.
 */
export function healthOf(object: KubeObject): Health | undefined {
  const judged = judgeHealth(object);
  if (judged === undefined) return undefined;
  const { status, message, lacks } = judged;
  return lacks === undefined ? { status, message } : { status, message, lacks };
}

/** The same with the rule that decided. */
export function judgeHealth(object: KubeObject): JudgedHealth | undefined {
  const isDeleted = deleted(object) !== undefined;
  const found = custom.get(object);
  // What rules say of the life of an object is no longer the news when it is being deleted, unless it is bad.
  if (found !== undefined && !(isDeleted && found.status === 'Healthy')) return found;
  const { group } = parseApiVersion(object.apiVersion);
  const rule = ruleFor(group, object.kind) ?? [];
  if (isDeleted && !rule.includes(evenWhenDeleted)) return { ...DELETED, rule: 'deletion' };
  for (const line of rule) {
    const health = line(object);
    if (health === undefined) continue;
    const current = health.status === 'Healthy' && isOfOldSpec(object) ? OUTDATED : health;
    return { ...current, rule: `${group === '' ? 'v1' : group}/${object.kind}` };
  }
  const health = genericHealth(object);
  return health === undefined ? undefined : { ...health, rule: 'generic' };
}

/** Whether all that controllers say of the object is about an older spec. */
function isOfOldSpec(object: KubeObject): boolean {
  const observed = conditionsOf(object).flatMap(({ observedGeneration }) => observedGeneration ?? []);
  return observed.length > 0 && observed.every((generation) => isOutdated(object, generation));
}

const DELETED: Health = { status: 'Progressing', message: 'Pending deletion' };

/** Groups that the api-server serves itself. CRDs of Kubernetes projects lie deeper, such as gateway.networking.k8s.io. */
const BUILT_IN = /^([a-z]*|[a-z]+\.k8s\.io|rbac\.authorization\.k8s\.io|(flowcontrol|internal)\.apiserver\.k8s\.io)$/;

/**
 * Where the health of objects of a kind stands: a rule of its own reads the full object, a custom resource may have conditions, and all others say nothing about
 * themselves, so that their metadata is enough.
 */
export function healthSource(apiVersion: string, kind: string): 'rule' | 'conditions' | 'none' {
  const { group } = parseApiVersion(apiVersion);
  if (ruleFor(group, kind) !== undefined) return 'rule';
  return BUILT_IN.test(group) ? 'none' : 'conditions';
}

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
  'ray.io': ['RayCluster', 'RayJob'],
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

const reportingKinds: HealthRules = Object.fromEntries(
  Object.entries(REPORTING).flatMap(([group, kinds]) => kinds.map((kind) => [`${group}/${kind}`, RULE])),
);

/** Every rule, a file a subject. */
const FILES: readonly HealthRules[] = [
  kubernetes,
  gatewayApi,
  promoter,
  ...cloud,
  ...clusters,
  ...databases,
  ...delivery,
  ...messaging,
  ...networking,
  ...observability,
  ...security,
  ...storage,
  ...workloads,
  reportingKinds,
];

const RULES = tableOf(FILES);

/** Two rules for one kind are a mistake that would hide one of them. */
function tableOf(files: readonly HealthRules[]): ReadonlyMap<string, HealthRule> {
  const table = new Map<string, HealthRule>();
  for (const [key, rule] of files.flatMap((rules) => Object.entries(rules))) {
    if (table.has(key)) throw new Error(`two health rules for ${key}`);
    table.set(key, rule);
  }
  return table;
}

/** The rule of a kind: by its own name, then by its group, then by ever shorter ends of its group. */
function ruleFor(group: string, kind: string): HealthRule | undefined {
  const own = group === '' ? 'v1' : group;
  let rule = ruleOf(own, kind);
  for (let dot = own.indexOf('.'), label = 0; rule === undefined && dot >= 0 && label < MAX_LABELS; dot = own.indexOf('.', dot + 1)) {
    rule = ruleOf(`*${own.slice(dot)}`, kind);
    label += 1;
  }
  return rule;
}

/** Of the name of a group; foreign text has no bound of its own. */
const MAX_LABELS = 12;

function ruleOf(group: string, kind: string): HealthRule | undefined {
  return RULES.get(`${group}/${kind}`) ?? RULES.get(`${group}/*`);
}
