import {
  absent,
  all,
  degraded,
  either,
  field,
  healthy,
  not,
  otherwise,
  present,
  progressing,
  type Finding,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const HEALTHY = '{kind} is healthy';
const PROGRESSING = '{kind} is progressing';
const DEGRADED = '{kind} is degraded';

function state(...words: readonly string[]): Finding {
  return either(field('status.status', ...words), field('status.overallStatus', ...words));
}

/** What is run for a version of an app: checks, tasks and the version itself. */
const run: HealthRule = [
  healthy(state('Succeeded'), HEALTHY),
  degraded(state('Failed', 'Warning', 'Deprecated'), DEGRADED),
  progressing(otherwise, PROGRESSING),
];

function filled(path: string): Finding {
  return all(present(path), not(field(path, '')));
}

/** Keptn (keptn.sh): the life of apps, and the metrics that decide on it. */
export const keptn: HealthRules = {
  'lifecycle.keptn.sh/KeptnAppVersion': run,
  'lifecycle.keptn.sh/KeptnWorkloadVersion': run,
  'lifecycle.keptn.sh/KeptnWorkloadInstance': run,
  'lifecycle.keptn.sh/KeptnEvaluation': run,
  'lifecycle.keptn.sh/KeptnTask': run,
  'metrics.keptn.sh/KeptnMetric': [
    degraded(filled('status.errMsg'), DEGRADED),
    healthy(filled('status.value'), HEALTHY),
    progressing(otherwise, PROGRESSING),
  ],
  'metrics.keptn.sh/Analysis': [
    healthy(either(field('status.pass', true), field('status.warning', true)), HEALTHY),
    degraded(field('status.state', 'Completed'), DEGRADED),
    progressing(either(field('status.state'), absent('status')), PROGRESSING),
  ],
};
