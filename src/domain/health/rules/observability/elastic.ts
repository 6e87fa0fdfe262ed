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
  type HealthRules,
} from '../rule.ts';

const UNKNOWN =
  'Elastic {} status is unknown. Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues';

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
};
