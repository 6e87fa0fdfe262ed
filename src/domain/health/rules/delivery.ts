import {
  absent,
  all,
  condition,
  degraded,
  either,
  field,
  type Finding,
  type HealthRule,
  type HealthRules,
  healthy,
  missing,
  not,
  otherwise,
  outdated,
  present,
  progressing,
  reasonOf,
  suspended,
  unknown,
  unreported,
} from './rule.ts';

const HEALTH = 'status.health.status';
const MESSAGE = '{status.health.message}';

/** Argo CD (argo-cd.readthedocs.io): an Application sums up the health of what it deploys, in our words. */
const argoCd: HealthRules = {
  'argoproj.io/Application': [
    healthy(field(HEALTH, 'Healthy'), MESSAGE),
    progressing(field(HEALTH, 'Progressing'), MESSAGE),
    degraded(field(HEALTH, 'Degraded'), MESSAGE),
    suspended(field(HEALTH, 'Suspended'), MESSAGE),
    missing(field(HEALTH, 'Missing'), MESSAGE),
    unknown(field(HEALTH, 'Unknown'), MESSAGE),
    progressing(otherwise, 'Waiting for the application to be reconciled'),
  ],
  'argoproj.io/ApplicationSet': [
    degraded(condition('ErrorOccurred')),
    progressing(condition('ResourcesUpToDate', 'False')),
    healthy(condition('ResourcesUpToDate')),
    progressing(otherwise, 'Waiting for the applications to be generated'),
  ],
  'argoproj.io/AppProject': [],
};

/** Argo Events (argoproj.github.io/argo-events): a condition for each thing that has to be there. */
const RULE: HealthRule = [
  degraded(condition('*', 'False')),
  progressing(condition('*', 'Unknown')),
  healthy(condition('Deployed'), '{kind} is deployed'),
  progressing(otherwise, 'Waiting for {kind} to be deployed'),
];

const argoEvents: HealthRules = { 'argoproj.io/EventBus': RULE, 'argoproj.io/EventSource': RULE, 'argoproj.io/Sensor': RULE };

const PHASE = 'status.phase';

/** Argo Rollouts (argo-rollouts.readthedocs.io): phases of rollouts, and of what is measured beside them. */
const argoRollouts: HealthRules = {
  'argoproj.io/Experiment': run('Experiment', 'experiment'),
  'argoproj.io/AnalysisRun': run('Analysis run', 'analysis run'),
  'argoproj.io/Rollout': [
    progressing(outdated(), 'Waiting for rollout to finish: observed rollout generation less than desired generation'),
    healthy(field(PHASE, 'Healthy'), '{status.message}'),
    suspended(field(PHASE, 'Paused'), '{status.message|Rollout is paused}'),
    degraded(field(PHASE, 'Degraded'), '{status.message}'),
    progressing(field(PHASE, 'Progressing'), '{status.message|Rollout is progressing}'),
    suspended(field('spec.paused', true), 'Rollout is paused'),
    degraded(condition('InvalidSpec')),
  ],
};

function run(name: string, lower: string): HealthRule {
  return [
    progressing(absent('status'), `Waiting for ${lower} to finish: status has not been reconciled.`),
    progressing(field(PHASE, 'Pending'), `${name} is pending`),
    progressing(field(PHASE, 'Running'), `${name} is running`),
    healthy(field(PHASE, 'Successful'), `${name} is successful`),
    degraded(field(PHASE, 'Failed'), `${name} has failed`),
    degraded(field(PHASE, 'Error'), `${name} had an error`),
    unknown(field(PHASE, 'Inconclusive'), `${name} is inconclusive`),
  ];
}

/** Argo Workflows (argo-workflows.readthedocs.io): a CronWorkflow is well until one of its conditions says otherwise. */
const argoWorkflows: HealthRules = {
  'argoproj.io/CronWorkflow': [
    degraded(condition(['SubmissionError', 'SpecError'])),
    suspended(field('spec.suspend', true), 'CronWorkflow is suspended'),
    healthy(condition('Completed')),
    healthy(otherwise, 'CronWorkflow is healthy.'),
  ],
  'argoproj.io/Workflow': [
    suspended(all(field('spec.suspend', true), field(PHASE, 'Pending', 'Running')), '{status.message|The workflow is suspended}'),
    healthy(field(PHASE, 'Succeeded'), '{status.message|Succeeded}'),
    degraded(field(PHASE, 'Failed', 'Error'), '{status.message|The workflow failed}'),
    progressing(otherwise, '{status.message|Waiting for the workflow to finish}'),
  ],
};

/** Flagger (flagger.app): what it says of the last analysis stands in its condition. */
const flagger: HealthRules = {
  'flagger.app/Canary': [
    healthy(all(condition('Promoted'), field(PHASE, 'Initialized', 'Succeeded'))),
    healthy(field(PHASE, 'Initialized', 'Succeeded')),
    degraded(all(condition('Promoted', 'False'), field(PHASE, 'Failed'))),
    degraded(field(PHASE, 'Failed')),
    suspended(field(PHASE, 'Waiting', 'WaitingPromotion'), 'Waiting for approval'),
    progressing(condition('Promoted', '*')),
    progressing(otherwise, 'Waiting for the canary to be initialized'),
  ],
};

/** The kinds of the GitOps Toolkit (fluxcd.io): `Ready`, with a reason that names what went wrong, beside `Reconciling` and `Stalled`. */
const FLUX_RULE: HealthRule = [
  suspended(field('spec.suspend', true), '{kind} is suspended'),
  degraded(reasonOf('Stalled')),
  progressing(reasonOf('Ready', 'Unknown')),
  progressing(reasonOf('Ready', 'False', ['Progressing', 'DependencyNotReady'])),
  degraded(reasonOf('Ready', 'False')),
  progressing(outdated(), 'Waiting for {kind} to be reconciled'),
  healthy(reasonOf('Ready')),
  progressing(otherwise, 'Waiting for {kind} to be reconciled'),
];

/** Providers and alerts are read when an event is sent; newer versions have no status. */
const STATIC: HealthRule = [];

const flux: HealthRules = {
  'source.toolkit.fluxcd.io/HelmRepository': [
    healthy(field('spec.type', 'oci'), "Helm repositories of type 'oci' do not contain any information in the status."),
    ...FLUX_RULE,
  ],
  'notification.toolkit.fluxcd.io/Alert': STATIC,
  'notification.toolkit.fluxcd.io/Provider': STATIC,
  'image.toolkit.fluxcd.io/ImagePolicy': FLUX_RULE,
  '*.toolkit.fluxcd.io/*': FLUX_RULE,
};

const HEALTHY = '{kind} is healthy';
const PROGRESSING = '{kind} is progressing';
const DEGRADED = '{kind} is degraded';

function state(...words: readonly string[]): Finding {
  return either(field('status.status', ...words), field('status.overallStatus', ...words));
}

/** What is run for a version of an app: checks, tasks and the version itself. */
const keptnRun: HealthRule = [
  healthy(state('Succeeded'), HEALTHY),
  degraded(state('Failed', 'Warning', 'Deprecated'), DEGRADED),
  progressing(otherwise, PROGRESSING),
];

function filled(path: string): Finding {
  return all(present(path), not(field(path, '')));
}

/** Keptn (keptn.sh): the life of apps, and the metrics that decide on it. */
const keptn: HealthRules = {
  'lifecycle.keptn.sh/KeptnAppVersion': keptnRun,
  'lifecycle.keptn.sh/KeptnWorkloadVersion': keptnRun,
  'lifecycle.keptn.sh/KeptnWorkloadInstance': keptnRun,
  'lifecycle.keptn.sh/KeptnEvaluation': keptnRun,
  'lifecycle.keptn.sh/KeptnTask': keptnRun,
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

/** Numaplane (numaplane.numaproj.io): rollouts, each of which makes a child of Numaflow and replaces it with the next. */
const numaplane: HealthRules = {
  'numaplane.numaproj.io/*': [
    progressing(either(unreported, outdated()), 'Not yet reconciled'),
    degraded(field(PHASE, 'Failed'), '{status.message|Failed}'),
    progressing(field(PHASE, 'Pending'), 'Update in progress'),
    degraded(condition('ProgressiveUpgradeSucceeded', 'False'), 'Progressive upgrade failed'),
    progressing(reasonOf('ChildResourcesHealthy', 'False', 'Progressing'), 'Child Progressing'),
    degraded(condition(['ChildResourceDeployed', 'ChildResourcesHealthy'], 'False')),
    progressing(condition(['ChildResourceDeployed', 'ChildResourcesHealthy'], 'Unknown'), 'Child Progressing'),
    healthy(field(PHASE, 'Deployed'), 'Healthy'),
    progressing(otherwise, 'Not yet reconciled'),
  ],
};

/** Tekton (tekton.dev): `Succeeded` is unknown while a run runs. */
const RUN: HealthRule = [
  healthy(condition('Succeeded')),
  degraded(condition('Succeeded', 'False')),
  progressing(condition('Succeeded', 'Unknown')),
  progressing(otherwise, 'Waiting for {kind} to start'),
];

const tekton: HealthRules = { 'tekton.dev/PipelineRun': RUN, 'tekton.dev/TaskRun': RUN, 'tekton.dev/CustomRun': RUN };

/** Instances of charts: what the controller says, but of one that has expired not what to do about it. */
const chandlery: HealthRules = {
  'apps.chandlery.dev/*': [
    suspended(all(condition('Asleep'), condition('Ready', 'False', 'Expired')), 'Expired, so nothing of it runs'),
    missing(condition('Healthy', 'False', 'Missing')),
  ],
};

export const delivery: readonly HealthRules[] = [
  argoCd,
  argoEvents,
  argoRollouts,
  argoWorkflows,
  chandlery,
  flagger,
  flux,
  keptn,
  numaplane,
  tekton,
];
