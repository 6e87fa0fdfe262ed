import type { HealthRule, HealthRules } from './rule.ts';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { ack } from './cloud/ack.ts';
import { azureServiceOperator } from './cloud/azure-service-operator.ts';
import { configConnector } from './cloud/config-connector.ts';
import { crossplane } from './cloud/crossplane.ts';
import { gardener } from './cloud/gardener.ts';
import { iamManager } from './cloud/iam-manager.ts';
import { karpenter } from './cloud/karpenter.ts';
import { pulumi } from './cloud/pulumi.ts';
import { sap } from './cloud/sap.ts';
import { clusterApi } from './clusters/cluster-api.ts';
import { karmada } from './clusters/karmada.ts';
import { metal3 } from './clusters/metal3.ts';
import { operatorLifecycleManager } from './clusters/operator-lifecycle-manager.ts';
import { atlas } from './databases/atlas.ts';
import { cassandra } from './databases/cassandra.ts';
import { clickhouse } from './databases/clickhouse.ts';
import { cloudnativePg } from './databases/cloudnative-pg.ts';
import { crunchyPostgres } from './databases/crunchy-postgres.ts';
import { mariadb } from './databases/mariadb.ts';
import { mysql } from './databases/mysql.ts';
import { percona } from './databases/percona.ts';
import { postgresOperator } from './databases/postgres-operator.ts';
import { solr } from './databases/solr.ts';
import { zookeeper } from './databases/zookeeper.ts';
import { argoCd } from './delivery/argo-cd.ts';
import { argoEvents } from './delivery/argo-events.ts';
import { argoRollouts } from './delivery/argo-rollouts.ts';
import { argoWorkflows } from './delivery/argo-workflows.ts';
import { flagger } from './delivery/flagger.ts';
import { flux } from './delivery/flux.ts';
import { keptn } from './delivery/keptn.ts';
import { numaplane } from './delivery/numaplane.ts';
import { promoter } from './delivery/promoter.ts';
import { tekton } from './delivery/tekton.ts';
import { confluent } from './messaging/confluent.ts';
import { koperator } from './messaging/koperator.ts';
import { rabbitmq } from './messaging/rabbitmq.ts';
import { strimzi } from './messaging/strimzi.ts';
import { airlock } from './networking/airlock.ts';
import { awsLoadBalancerController } from './networking/aws-load-balancer-controller.ts';
import { contour } from './networking/contour.ts';
import { gatewayApi } from './networking/gateway-api.ts';
import { gloo } from './networking/gloo.ts';
import { istioOperator } from './networking/istio-operator.ts';
import { nmstate } from './networking/nmstate.ts';
import { openshift } from './networking/openshift.ts';
import { threeScale } from './networking/three-scale.ts';
import { datadog } from './observability/datadog.ts';
import { elastic } from './observability/elastic.ts';
import { grafana } from './observability/grafana.ts';
import { humio } from './observability/humio.ts';
import { jaeger } from './observability/jaeger.ts';
import { kiali } from './observability/kiali.ts';
import { openTelemetry } from './observability/open-telemetry.ts';
import { prometheus } from './observability/prometheus.ts';
import { victoriaMetrics } from './observability/victoria-metrics.ts';
import { certManager } from './security/cert-manager.ts';
import { externalSecrets } from './security/external-secrets.ts';
import { keycloak } from './security/keycloak.ts';
import { kyverno } from './security/kyverno.ts';
import { onePassword } from './security/one-password.ts';
import { openClusterManagement } from './security/open-cluster-management.ts';
import { sealedSecrets } from './security/sealed-secrets.ts';
import { astra } from './storage/astra.ts';
import { containerizedDataImporter } from './storage/containerized-data-importer.ts';
import { longhorn } from './storage/longhorn.ts';
import { minio } from './storage/minio.ts';
import { rook } from './storage/rook.ts';
import { trident } from './storage/trident.ts';
import { volumeReplication } from './storage/volume-replication.ts';
import { volumeSnapshots } from './storage/volume-snapshots.ts';
import { camelK } from './workloads/camel-k.ts';
import { deploymentConfig } from './workloads/deployment-config.ts';
import { flink } from './workloads/flink.ts';
import { k6 } from './workloads/k6.ts';
import { keda } from './workloads/keda.ts';
import { knative } from './workloads/knative.ts';
import { kruise } from './workloads/kruise.ts';
import { kserve } from './workloads/kserve.ts';
import { kubevirt } from './workloads/kubevirt.ts';
import { numaflow } from './workloads/numaflow.ts';
import { openfaas } from './workloads/openfaas.ts';
import { spark } from './workloads/spark.ts';
import { spinkube } from './workloads/spinkube.ts';
import { verticalPodAutoscaler } from './workloads/vertical-pod-autoscaler.ts';
import { reportingKinds } from './reporting-kinds.ts';

/** Every rule, a file a product. */
const FILES: readonly HealthRules[] = [
  kubernetes,
  ack,
  azureServiceOperator,
  configConnector,
  crossplane,
  gardener,
  iamManager,
  karpenter,
  pulumi,
  sap,
  clusterApi,
  karmada,
  metal3,
  operatorLifecycleManager,
  atlas,
  cassandra,
  clickhouse,
  cloudnativePg,
  crunchyPostgres,
  mariadb,
  mysql,
  percona,
  postgresOperator,
  solr,
  zookeeper,
  argoCd,
  argoEvents,
  argoRollouts,
  argoWorkflows,
  flagger,
  flux,
  keptn,
  numaplane,
  promoter,
  tekton,
  confluent,
  koperator,
  rabbitmq,
  strimzi,
  airlock,
  awsLoadBalancerController,
  contour,
  gatewayApi,
  gloo,
  istioOperator,
  nmstate,
  openshift,
  threeScale,
  datadog,
  elastic,
  grafana,
  humio,
  jaeger,
  kiali,
  openTelemetry,
  prometheus,
  victoriaMetrics,
  certManager,
  externalSecrets,
  keycloak,
  kyverno,
  onePassword,
  openClusterManagement,
  sealedSecrets,
  astra,
  containerizedDataImporter,
  longhorn,
  minio,
  rook,
  trident,
  volumeReplication,
  volumeSnapshots,
  camelK,
  deploymentConfig,
  flink,
  k6,
  keda,
  knative,
  kruise,
  kserve,
  kubevirt,
  numaflow,
  openfaas,
  spark,
  spinkube,
  verticalPodAutoscaler,
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
export function ruleFor(group: string, kind: string): HealthRule | undefined {
  const own = group === '' ? 'v1' : group;
  let rule = ruleOf(own, kind);
  for (let dot = own.indexOf('.'), label = 0; rule === undefined && dot >= 0 && label < MOST_LABELS; dot = own.indexOf('.', dot + 1)) {
    rule = ruleOf(`*${own.slice(dot)}`, kind);
    label += 1;
  }
  return rule;
}

/** Of the name of a group; foreign text has no bound of its own. */
const MOST_LABELS = 12;

function ruleOf(group: string, kind: string): HealthRule | undefined {
  return RULES.get(`${group}/${kind}`) ?? RULES.get(`${group}/*`);
}
