import { textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import {
  absent,
  all,
  condition,
  conditionAs,
  degraded,
  either,
  fewer,
  field,
  type Finding,
  type HealthRule,
  type HealthRules,
  healthy,
  missing,
  otherwise,
  outdated,
  present,
  progressing,
  reasonOf,
  suspended,
  unknown,
  unreported,
} from './rule.ts';

/** Datadog's operator and its Cluster Agent. */
const datadog: HealthRules = {
  'datadoghq.com/DatadogMetric': [
    degraded(conditionAs('{reason}: {message}', 'Error')),
    degraded(condition('Valid', 'False')),
    healthy(condition('Valid'), 'DatadogMetric is healthy'),
  ],
};

const UNKNOWN =
  'Elastic {} status is unknown. Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues';

const HEALTH = 'status.health';

/** The phase tells what the operator does, the colour how the product is; the colour of indices without copies is yellow. */
const RULE: HealthRule = [
  degraded(field(HEALTH, 'red'), '{kind} is red'),
  degraded(field('status.phase', 'Invalid', 'Stalled'), 'The phase of {kind} is {}'),
  degraded(field('status.associationStatus', 'Failed'), 'The association of {kind} failed'),
  progressing(field('status.phase', 'ApplyingChanges', 'MigratingData', 'ElasticsearchWaiting'), 'The phase of {kind} is {}'),
  progressing(field(HEALTH, 'yellow'), '{kind} is yellow'),
  healthy(field(HEALTH, 'green'), '{kind} is green'),
  unknown(field(HEALTH), 'The health of {kind} is {}'),
  progressing(otherwise, 'Waiting for {kind} to report its health'),
];

/** Elastic Cloud on Kubernetes (elastic.co): the health of a Beat is a colour beside counted nodes. */
const elastic: HealthRules = {
  'beat.k8s.elastic.co/Beat': [
    degraded(field('status.health', 'red'), 'Elastic Beat status is Red'),
    healthy(field('status.health', 'green'), 'Elastic Beat status is Green'),
    progressing(
      all(field('status.health', 'yellow'), present('status.availableNodes'), fewer('status.availableNodes', 'status.expectedNodes')),
      'Elastic Beat status is deploying, there is {status.availableNodes} instance(s) on {status.expectedNodes} expected',
    ),
    progressing(
      either(field('status.health', 'yellow'), all(absent('status.health'), present('status.expectedNodes'))),
      'Elastic Beat phase is progressing',
    ),
    unknown(otherwise, UNKNOWN.replace('{}', 'Beat')),
  ],
  'agent.k8s.elastic.co/Agent': RULE,
  'apm.k8s.elastic.co/ApmServer': RULE,
  'elasticsearch.k8s.elastic.co/Elasticsearch': RULE,
  'enterprisesearch.k8s.elastic.co/EnterpriseSearch': RULE,
  'kibana.k8s.elastic.co/Kibana': RULE,
  'logstash.k8s.elastic.co/Logstash': RULE,
  'maps.k8s.elastic.co/ElasticMapsServer': RULE,
};

const SYNCHRONIZED = [
  'AlertGroupSynchronized',
  'ContactPointSynchronized',
  'DashboardSynchronized',
  'DatasourceSynchronized',
  'FolderSynchronized',
  'LibraryPanelSynchronized',
  'MuteTimingSynchronized',
  'NotificationPolicySynchronized',
  'NotificationTemplateSynchronized',
];
const SENTENCE = '{reason} for {type} because {message}';

/** What is written into Grafana by its operator (grafana.github.io/grafana-operator), a condition a kind. */
const SYNCED: HealthRule = [
  degraded(conditionAs(SENTENCE, ['InvalidSpec', 'NoMatchingInstance', 'NoMatchingInstances'])),
  degraded(conditionAs(SENTENCE, SYNCHRONIZED, 'False')),
  healthy(conditionAs(SENTENCE, SYNCHRONIZED)),
];

const grafana: HealthRules = {
  'grafana.integreatly.org/Grafana': [],
  'grafana.integreatly.org/*': [...SYNCED, progressing(absent('status'), '')],
  'grafana-org-operator.kubitus-project.gitlab.io/*': [
    healthy(condition('Ready')),
    degraded(condition('Ready', 'False')),
    progressing(otherwise, 'Waiting ...'),
  ],
};

const STATE = 'status.state';
const COMPONENT = 'Component state: {}.';

/** All kinds have one field `state`, whose words are in the types of github.com/humio/humio-operator. */
const rule: HealthRule = [
  progressing(absent('status'), 'Update in progress'),
  healthy(field(STATE, 'Exists', 'Running'), COMPONENT),
  missing(field(STATE, 'NotFound'), COMPONENT),
  degraded(field(STATE, 'ConfigError', 'Error'), COMPONENT),
  progressing(field(STATE, 'Pending', 'Upgrading', 'Restarting'), COMPONENT),
  unknown(field(STATE), COMPONENT),
];

/** Humio, since renamed to Falcon LogScale. */
const humio: HealthRules = { 'core.humio.com/*': rule };

/** Jaeger's operator, which has a phase and no conditions. */
const jaeger: HealthRules = {
  'jaegertracing.io/Jaeger': [
    healthy(field('status.phase', 'Running'), 'Jaeger is Running'),
    degraded(field('status.phase', 'Failed'), 'Jaeger Failed For Some Reason'),
    progressing(otherwise, 'Waiting for Jaeger'),
  ],
};

/** Operators built with Ansible write `Running` while a playbook runs and `Failure` after one that failed (sdk.operatorframework.io). */
const kiali: HealthRules = {
  'kiali.io/Kiali': [
    degraded(condition('Failure')),
    healthy(condition('Successful')),
    progressing(condition('Running')),
    progressing(otherwise, 'Waiting for Kiali'),
  ],
};

/** `status.scale.statusReplicas` reads like `1/3`: ready of wanted ones. */
function replicas(isSo: (ready: number, wanted: number) => boolean): Finding {
  return (object) => {
    const counts = countsOf(object);
    return counts !== undefined && isSo(...counts) ? '' : undefined;
  };
}

function countsOf({ status }: KubeObject): [ready: number, wanted: number] | undefined {
  const [, ready, wanted] = /^(\d{1,9})\/(\d{1,9})$/.exec(textAt(status, 'scale', 'statusReplicas') ?? '') ?? [];
  return ready === undefined || wanted === undefined ? undefined : [Number(ready), Number(wanted)];
}

/** OpenTelemetry (opentelemetry.io/docs/platforms/kubernetes/operator). As a sidecar, a collector runs in the pods of others. */
const openTelemetry: HealthRules = {
  'opentelemetry.io/OpenTelemetryCollector': [
    healthy(field('spec.mode', 'sidecar'), 'Collector is running in sidecar mode'),
    healthy(
      all(
        field('spec.mode', 'daemonset'),
        replicas((_, wanted) => wanted === 0),
      ),
      'DaemonSet has no eligible nodes (0/0)',
    ),
    healthy(
      replicas((ready, wanted) => ready >= wanted),
      'All replicas are ready',
    ),
    degraded(
      replicas((ready) => ready === 0),
      'No replicas are ready',
    ),
    progressing(otherwise, 'Replicas are starting up'),
  ],
};

/** `Available` has a third status between true and false: some of the pods are ready. */
const prometheusRule: HealthRule = [
  suspended(field('spec.paused', true), '{kind} is paused'),
  healthy(condition('Available'), 'All instances are available'),
  progressing(reasonOf('Available', ['Degraded', 'Unknown'])),
  degraded(condition('Available', 'False')),
  progressing(unreported, 'Waiting for {kind} to report a status'),
];

/** The Prometheus Operator (prometheus-operator.dev). */
const prometheus: HealthRules = {
  'monitoring.coreos.com/Prometheus': prometheusRule,
  'monitoring.coreos.com/PrometheusAgent': prometheusRule,
  'monitoring.coreos.com/Alertmanager': prometheusRule,
  'monitoring.coreos.com/ThanosRuler': prometheusRule,
};

const STATUS = 'status.updateStatus';

/** VictoriaMetrics (docs.victoriametrics.com/operator): every kind of the operator has the same `updateStatus`. */
const victoriaMetrics: HealthRules = {
  'operator.victoriametrics.com/*': [
    suspended(either(field('spec.paused', true), field(STATUS, 'paused')), 'Reconciliation is paused'),
    progressing(either(absent(STATUS), outdated()), 'Waiting for the operator to reconcile'),
    degraded(field(STATUS, 'failed'), '{status.reason|Reconciliation failed}'),
    healthy(field(STATUS, 'operational'), 'All components are operational'),
    progressing(field(STATUS), 'Reconciliation in progress'),
  ],
};

/** The Logging operator (kube-logging.dev): what a flow or an output lacks is a list of sentences. */
const logging: HealthRules = {
  'logging.banzaicloud.io/*': [
    degraded(({ status }) => textAt(status, 'problems', 0)),
    healthy(field('status.active', true), '{kind} is active'),
    suspended(field('status.active', false), '{kind} is not active'),
  ],
};

export const observability: readonly HealthRules[] = [
  datadog,
  elastic,
  grafana,
  humio,
  jaeger,
  kiali,
  logging,
  openTelemetry,
  prometheus,
  victoriaMetrics,
];
