import type { HealthRule, HealthRules } from './rule.ts';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { ack } from './cloud/ack.ts';
import { azureServiceOperator } from './cloud/azure-service-operator.ts';
import { configConnector } from './cloud/config-connector.ts';
import { crossplane } from './cloud/crossplane.ts';
import { gardener } from './cloud/gardener.ts';
import { iamManager } from './cloud/iam-manager.ts';
import { karpenter } from './cloud/karpenter.ts';
import { clusterApi } from './clusters/cluster-api.ts';
import { atlas } from './databases/atlas.ts';
import { cassandra } from './databases/cassandra.ts';
import { clickhouse } from './databases/clickhouse.ts';
import { cloudnativePg } from './databases/cloudnative-pg.ts';
import { mariadb } from './databases/mariadb.ts';
import { postgresOperator } from './databases/postgres-operator.ts';
import { argoCd } from './delivery/argo-cd.ts';
import { argoEvents } from './delivery/argo-events.ts';
import { argoRollouts } from './delivery/argo-rollouts.ts';
import { argoWorkflows } from './delivery/argo-workflows.ts';
import { flagger } from './delivery/flagger.ts';
import { flux } from './delivery/flux.ts';
import { tekton } from './delivery/tekton.ts';
import { koperator } from './messaging/koperator.ts';
import { strimzi } from './messaging/strimzi.ts';
import { awsLoadBalancerController } from './networking/aws-load-balancer-controller.ts';
import { gatewayApi } from './networking/gateway-api.ts';
import { gloo } from './networking/gloo.ts';
import { istioOperator } from './networking/istio-operator.ts';
import { threeScale } from './networking/three-scale.ts';
import { datadog } from './observability/datadog.ts';
import { elastic } from './observability/elastic.ts';
import { grafana } from './observability/grafana.ts';
import { humio } from './observability/humio.ts';
import { jaeger } from './observability/jaeger.ts';
import { kiali } from './observability/kiali.ts';
import { certManager } from './security/cert-manager.ts';
import { externalSecrets } from './security/external-secrets.ts';
import { keycloak } from './security/keycloak.ts';
import { kyverno } from './security/kyverno.ts';
import { sealedSecrets } from './security/sealed-secrets.ts';
import { astra } from './storage/astra.ts';
import { containerizedDataImporter } from './storage/containerized-data-importer.ts';
import { longhorn } from './storage/longhorn.ts';
import { rook } from './storage/rook.ts';
import { camelK } from './workloads/camel-k.ts';
import { deploymentConfig } from './workloads/deployment-config.ts';
import { flink } from './workloads/flink.ts';
import { keda } from './workloads/keda.ts';
import { kruise } from './workloads/kruise.ts';
import { kubevirt } from './workloads/kubevirt.ts';
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
  clusterApi,
  atlas,
  cassandra,
  clickhouse,
  cloudnativePg,
  mariadb,
  postgresOperator,
  argoCd,
  argoEvents,
  argoRollouts,
  argoWorkflows,
  flagger,
  flux,
  tekton,
  koperator,
  strimzi,
  awsLoadBalancerController,
  gatewayApi,
  gloo,
  istioOperator,
  threeScale,
  datadog,
  elastic,
  grafana,
  humio,
  jaeger,
  kiali,
  certManager,
  externalSecrets,
  keycloak,
  kyverno,
  sealedSecrets,
  astra,
  containerizedDataImporter,
  longhorn,
  rook,
  camelK,
  deploymentConfig,
  flink,
  keda,
  kruise,
  kubevirt,
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
  const labels = own.split('.').slice(0, MOST_LABELS);
  const groups = [
    own,
    ...labels.map(
      (_, index) =>
        `*.${own
          .split('.')
          .slice(index + 1)
          .join('.')}`,
    ),
  ];
  const key = groups.flatMap((name) => [`${name}/${kind}`, `${name}/*`]).find((name) => RULES.has(name));
  return key === undefined ? undefined : RULES.get(key);
}

/** Of the name of a group; foreign text has no bound of its own. */
const MOST_LABELS = 12;
