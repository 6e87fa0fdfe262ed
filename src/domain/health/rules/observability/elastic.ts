import {
  absent,
  all,
  degraded,
  either,
  fewer,
  field,
  healthy,
  otherwise,
  present,
  progressing,
  unknown,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

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
export const elastic: HealthRules = {
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
