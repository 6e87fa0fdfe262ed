import type { KubeObject } from '../../kubernetes/resource.ts';
import { textAt } from '../../core/read.ts';
import {
  absent,
  all,
  condition,
  conditionAt,
  degraded,
  either,
  evenWhenDeleted,
  fewer,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  not,
  otherwise,
  outdated,
  progressing,
  same,
  suspended,
  unknown,
  unreported,
} from './rule.ts';
import { conditionsOf, numberedConditions } from './conditions.ts';

/** Camel K (camel.apache.org). */
const camelK: HealthRules = {
  'camel.apache.org/Integration': [
    degraded(all(condition('Ready', 'False'), field('status.phase', 'Error'))),
    healthy(all(condition('Ready'), field('status.phase', 'Running'))),
    progressing(otherwise, 'Waiting for Integration'),
  ],
};

/** OpenShift's own Deployment, with the same conditions as the one of Kubernetes. */
const deploymentConfig: HealthRules = {
  'apps.openshift.io/DeploymentConfig': [
    suspended(field('spec.paused', true), 'The rollout is paused'),
    progressing(either(unreported, outdated()), 'Waiting for the rollout to start'),
    degraded(condition('ReplicaFailure')),
    degraded(condition('Progressing', 'False')),
    progressing(fewer('status.updatedReplicas', 'spec.replicas'), '{status.updatedReplicas|0} of {spec.replicas} pods are updated'),
    progressing(fewer('status.availableReplicas', 'spec.replicas'), '{status.availableReplicas|0} of {spec.replicas} pods are available'),
    healthy(otherwise, '{status.availableReplicas|0} of {spec.replicas|0} pods are available'),
  ],
};

const STATE = 'status.lifecycleState';

/** Flink's operator (nightlies.apache.org/flink): the life of a job and of what runs it in one word. */
const RULE: HealthRule = [
  degraded(field(STATE, 'FAILED'), '{status.error|FAILED}'),
  suspended(field(STATE, 'SUSPENDED')),
  degraded(field('status.jobStatus.state', 'FAILED', 'FAILING'), '{status.error|The job failed}'),
  progressing(field('status.jobManagerDeploymentStatus', 'DEPLOYING', 'DEPLOYED_NOT_READY')),
  healthy(field(STATE, 'STABLE', 'DEPLOYED')),
  degraded(field(STATE, 'ROLLED_BACK'), '{status.error|The latest change was rolled back}'),
  progressing(field(STATE)),
  progressing(unreported, 'Waiting for {kind} to report a status'),
];

const flink: HealthRules = { 'flink.apache.org/FlinkDeployment': RULE, 'flink.apache.org/FlinkSessionJob': RULE };

const STAGE = 'status.stage';

const RUN: HealthRule = [
  healthy(field(STAGE, 'finished')),
  degraded(field(STAGE, 'error')),
  suspended(field(STAGE, 'stopped')),
  progressing(otherwise, '{status.stage|Waiting for the test to start}'),
];

/** The operator of k6 (grafana.com/docs/k6), whose tests go from stage to stage. */
const k6: HealthRules = { 'k6.io/K6': RUN, 'k6.io/TestRun': RUN };

const SCALED: HealthRule = [
  suspended(condition('Paused')),
  degraded(condition('Ready', ['False', 'Unknown'])),
  healthy(condition('Ready')),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** KEDA (keda.sh): what is scaled by events. */
const keda: HealthRules = { 'keda.sh/ScaledJob': SCALED, 'keda.sh/ScaledObject': SCALED };

/** What does not hold, a sentence and a reason each. */
function unmet(_: string, object: KubeObject): string {
  return conditionsOf(object)
    .filter(({ status }) => status !== 'True')
    .map(({ type, status, reason, message }) => `${type} is ${status}, since ${reason}. ${message}\n`)
    .join('');
}

const numbered = (_: string, object: KubeObject): string => numberedConditions(object);

/** `Ready` sums the others up; it is false only for good. */
const serving: HealthRule = [
  healthy(condition('Ready'), 'Knative {kind} is healthy.'),
  degraded(condition('Ready', 'False'), unmet),
  progressing(condition('Ready', '*'), unmet),
  progressing(otherwise, 'Waiting for Knative {kind}'),
];

/** `Ready` of an installation is false while it goes on. */
const installation: HealthRule = [
  healthy(condition('Ready'), '{kind} is healthy.'),
  progressing(condition('Ready', ['False', 'Unknown']), numbered),
  degraded(condition('Ready', '*'), numbered),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** Knative (knative.dev/docs). */
const knative: HealthRules = {
  'serving.knative.dev/Service': serving,
  'serving.knative.dev/Configuration': serving,
  'serving.knative.dev/Revision': serving,
  'serving.knative.dev/Route': serving,
  'autoscaling.internal.knative.dev/PodAutoscaler': [healthy(condition('Ready', 'False', 'NoTraffic'))],
  'operator.knative.dev/KnativeServing': installation,
  'operator.knative.dev/KnativeEventing': installation,
};

const PARTITION = 'spec.updateStrategy.rollingUpdate.partition';
const paused = field('spec.updateStrategy.rollingUpdate.paused', true);
/** A partition keeps some pods at the old revision until somebody lowers it. */
const partitioned = all(field(PARTITION), not(field(PARTITION, 0)));

/** OpenKruise (openkruise.io): workloads whose updates can be paused or kept to a partition. */
const kruise: HealthRules = {
  'apps.kruise.io/StatefulSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(paused, 'Statefulset is paused'),
    suspended(partitioned, 'Statefulset needs manual intervention'),
    degraded(
      either(
        condition('FailedCreatePod'),
        fewer('status.updatedReadyReplicas', 'status.replicas'),
        fewer('status.updatedAvailableReplicas', 'status.replicas'),
      ),
      'Some replicas are not ready or available',
    ),
    healthy(otherwise, 'All Statefulset workloads are ready and updated'),
  ],
  'game.kruise.io/GameServer': [
    unknown(absent('status.currentState'), 'Waiting for GameServer to be ready'),
    progressing(not(same('status.currentState', 'status.desiredState')), 'State change: {status.currentState} → {status.desiredState}'),
    degraded(conditionAt('status.podStatus.conditions', 'type', ['*', 'False']), 'Pod is not ready: {}'),
    healthy(otherwise, 'GameServer is Ready'),
  ],
  'game.kruise.io/GameServerSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for GameServerSet initialization'),
    suspended(paused, 'GameServerSet is paused'),
    suspended(partitioned, 'Partition={}, waiting for manual intervention'),
    progressing(
      fewer('status.readyReplicas', 'spec.replicas'),
      'ReadyReplicas {status.readyReplicas|0}/{spec.replicas}, still progressing',
    ),
    healthy(otherwise, 'All GameServerSet replicas are updated and ready'),
  ],
  'apps.kruise.io/CloneSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(field('spec.updateStrategy.paused', true), 'CloneSet is paused'),
    progressing(fewer('status.updatedReadyReplicas', 'status.expectedUpdatedReplicas'), 'Waiting for updated replicas to be ready'),
    progressing(fewer('status.readyReplicas', 'spec.replicas'), '{status.readyReplicas|0} of {spec.replicas} replicas are ready'),
    healthy(otherwise, '{status.readyReplicas|0} of {spec.replicas|0} replicas are ready'),
  ],
  'apps.kruise.io/DaemonSet': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(paused, 'DaemonSet is paused'),
    progressing(fewer('status.updatedNumberScheduled', 'status.desiredNumberScheduled'), 'Waiting for pods to be updated'),
    progressing(fewer('status.numberAvailable', 'status.desiredNumberScheduled'), 'Waiting for pods to be available'),
    healthy(otherwise, '{status.numberAvailable|0} of {status.desiredNumberScheduled|0} pods are available'),
  ],
  'rollouts.kruise.io/Rollout': [
    progressing(either(absent('status'), outdated()), 'Waiting for initialization'),
    suspended(field('status.canaryStatus.currentStepState', 'StepPaused'), '{status.message|Rollout is paused}'),
    healthy(field('status.phase', 'Healthy'), '{status.message|Healthy}'),
    suspended(field('status.phase', 'Disabled'), '{status.message|Rollout is disabled}'),
    progressing(field('status.phase'), '{status.message|Rollout is in progress}'),
  ],
};

const TRANSITION = 'status.modelStatus.transitionStatus';

/** The transition of the model, then the conditions that do not hold, by their number. */
function kserveUnmet(_: string, object: KubeObject): string {
  const transition = textAt(object.status, 'modelStatus', 'transitionStatus') ?? '';
  const conditions = conditionsOf(object).map(({ type, status, reason, message }, index) => ({
    isMet: status === 'True' || type === 'Stopped',
    text: [`${index + 1}: ${type}`, status, reason, message].filter((part) => part !== '').join(' | '),
  }));
  const unmetOnes = conditions.filter(({ isMet }) => !isMet).map(({ text }) => text);
  return [transition === '' ? '' : `0: transitionStatus | ${transition}`, ...unmetOnes].join(' | ');
}

/** KServe (kserve.github.io): a model may fail to load while what serves it is ready. */
const kserve: HealthRules = {
  'serving.kserve.io/InferenceService': [
    suspended(condition('Stopped'), 'InferenceService is Stopped'),
    degraded(field(TRANSITION, 'BlockedByFailedLoad', 'InvalidSpec'), kserveUnmet),
    progressing(field(TRANSITION, 'InProgress'), kserveUnmet),
    healthy(condition('Ready'), 'InferenceService is healthy.'),
    degraded(condition('Ready', 'False'), kserveUnmet),
    progressing(otherwise, kserveUnmet),
  ],
};

const NONE = 'No status available';

/** KubeVirt (kubevirt.io): a virtual machine has a status meant for people, the instance that runs it a phase. */
const kubevirt: HealthRules = {
  'kubevirt.io/VirtualMachine': [
    healthy(field('status.printableStatus', 'Running')),
    suspended(field('status.printableStatus', 'Paused', 'Stopped')),
    degraded(
      field(
        'status.printableStatus',
        'CrashLoopBackOff',
        'DataVolumeError',
        'ErrImagePull',
        'ErrorDataVolumeNotFound',
        'ErrorPvcNotFound',
        'ErrorUnschedulable',
        'ImagePullBackOff',
      ),
    ),
    unknown(field('status.printableStatus', 'Unknown')),
    progressing(field('status.printableStatus')),
    progressing(otherwise, NONE),
  ],
  'kubevirt.io/VirtualMachineInstance': [
    evenWhenDeleted,
    suspended(condition('Paused')),
    suspended(field('status.phase', 'Succeeded')),
    degraded(field('status.phase', 'Failed')),
    unknown(field('status.phase', 'Unknown')),
    healthy(all(field('status.phase', 'Running'), condition('Ready'))),
    progressing(field('status.phase')),
    progressing(otherwise, NONE),
  ],
};

const PHASE = 'status.phase';

/** Numaflow (numaflow.numaproj.io): its vertices keep the phase `Running` while their pods fail, which a condition tells. */
const numaflow: HealthRules = {
  'numaflow.numaproj.io/*': [
    progressing(either(unreported, outdated()), 'Waiting for {kind} status'),
    degraded(field(PHASE, 'Failed'), '{status.message|Failed}'),
    suspended(field(PHASE, 'Paused'), '{kind} is paused'),
    progressing(field(PHASE, 'Pausing', 'Deleting'), '{kind} is {status.phase}'),
    progressing(condition('*', 'Unknown'), 'Waiting for {kind} status'),
    degraded(condition('*', 'False')),
    healthy(field(PHASE, 'Running'), '{kind} is healthy'),
    progressing(otherwise, 'Waiting for {kind} status'),
  ],
};

/** OpenFaaS (docs.openfaas.com): a function that is ready and has no replica was scaled to zero until it is called. */
const openfaas: HealthRules = {
  'openfaas.com/Function': [
    degraded(condition('Stalled')),
    suspended(all(condition('Ready'), condition('Healthy', 'False')), 'No replicas available'),
    healthy(condition('Ready')),
    progressing(otherwise, 'Waiting for Function'),
  ],
};

const SPARK_STATE = 'status.applicationState.state';
const FAILED = '{status.applicationState.errorMessage|SparkApplication failed}';

/** `PENDING_RERUN` as people read it. */
function stateMessage(state: string): string {
  const words = state.toLowerCase().split('_');
  return `SparkApplication is ${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ')}`;
}

/** Spark on Kubernetes (kubeflow.org/docs/components/spark-operator). */
const spark: HealthRules = {
  'sparkoperator.k8s.io/SparkApplication': [
    degraded(field(SPARK_STATE, 'FAILED', 'SUBMISSION_FAILED', 'FAILING'), FAILED),
    healthy(field(SPARK_STATE, 'RUNNING', 'COMPLETED', 'SUCCEEDING'), stateMessage),
    suspended(field(SPARK_STATE, 'SUSPENDED', 'SUSPENDING'), stateMessage),
    unknown(field(SPARK_STATE, 'UNKNOWN'), stateMessage),
    progressing(all(field(SPARK_STATE), not(field(SPARK_STATE, ''))), stateMessage),
    progressing(otherwise, 'Waiting for SparkApplication'),
  ],
  'sparkoperator.k8s.io/ScheduledSparkApplication': [
    degraded(field('status.scheduleState', 'FailedValidation'), '{status.reason|FailedValidation}'),
    suspended(field('spec.suspend', true), '{kind} is suspended'),
    healthy(field('status.scheduleState', 'Scheduled')),
    progressing(otherwise, 'Waiting for ScheduledSparkApplication'),
  ],
};

/** SpinKube (spinkube.dev): the conditions of the Deployment below an app. */
const spinkube: HealthRules = {
  'core.spinkube.dev/SpinApp': [
    degraded(condition('Progressing', 'False', 'ProgressDeadlineExceeded')),
    progressing(condition('Progressing')),
    degraded(condition('Available', 'False')),
    healthy(condition('Available'), 'Application is healthy with {status.readyReplicas|0}/{spec.replicas|0} replicas ready'),
    progressing(otherwise, 'Waiting for status to be available'),
  ],
};

/** The Vertical Pod Autoscaler (github.com/kubernetes/autoscaler). */
const verticalPodAutoscaler: HealthRules = {
  'autoscaling.k8s.io/VerticalPodAutoscaler': [
    degraded(condition(['ConfigUnsupported', 'NoPodsMatched'])),
    healthy(condition('RecommendationProvided'), '{kind} provides a recommendation'),
    progressing(otherwise, 'Waiting for the first recommendation'),
  ],
};

/** JobSet (jobset.sigs.k8s.io): jobs that start, run and end together. `StartupPolicyCompleted` is about the start alone. */
const jobSet: HealthRules = {
  'jobset.x-k8s.io/JobSet': [
    degraded(condition('Failed')),
    healthy(condition('Completed')),
    suspended(condition('Suspended')),
    progressing(otherwise, 'Waiting for the jobs to complete'),
  ],
};

/** Kueue (kueue.sigs.k8s.io): a Workload waits for quota, runs once it is admitted, and is queued again when another one takes its place. */
const kueue: HealthRules = {
  'kueue.x-k8s.io/Workload': [
    degraded(condition('Finished', 'True', 'Failed')),
    healthy(condition('Finished')),
    suspended(field('spec.active', false), 'The Workload is deactivated'),
    degraded(condition('QuotaReserved', 'False', 'Inadmissible')),
    progressing(condition('PodsReady', 'False')),
    healthy(condition('Admitted'), '{|The Workload is admitted}'),
    progressing(condition('QuotaReserved', 'False')),
    progressing(otherwise, 'Waiting for quota'),
  ],
};

/** Ray on Kubernetes (docs.ray.io): a service has no endpoints until its applications run, and an upgrade has a second cluster beside the first. */
const ray: HealthRules = {
  'ray.io/RayService': [
    progressing(condition('Ready', 'False', ['Initializing', 'ZeroServeEndpoints'])),
    progressing(unreported, 'Waiting for {kind} to report a status'),
  ],
};

/** Volcano (volcano.sh): a queue is open for jobs, or closed by somebody. */
const volcano: HealthRules = {
  'scheduling.volcano.sh/Queue': [
    healthy(field('status.state', 'Open')),
    suspended(field('status.state', 'Closed')),
    progressing(field('status.state', 'Closing')),
  ],
};

export const workloads: readonly HealthRules[] = [
  camelK,
  deploymentConfig,
  flink,
  jobSet,
  k6,
  keda,
  knative,
  kruise,
  kserve,
  kubevirt,
  kueue,
  numaflow,
  openfaas,
  ray,
  spark,
  spinkube,
  verticalPodAutoscaler,
  volcano,
];
