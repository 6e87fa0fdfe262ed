import { at, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import { kindKey } from '../tree/object-index.ts';
import {
  blocked,
  type CauseRule,
  conditionSince,
  eventOf,
  excerpt,
  failed,
  type Finding,
  isMissing,
  sinceOf,
  type Subject,
} from './cause.ts';
import { containersOf } from './containers.ts';

type Reading = readonly [pattern: RegExp, words: (groups: Readonly<Record<string, string>>) => string];

/** How the api-server words that it does not create an object; the first that fits counts. */
const READINGS: readonly Reading[] = [
  [
    /exceeded quota: (?<quota>[^,]+), requested: (?<asked>.+), used: (?<used>.+), limited: (?<limit>.+)$/s,
    ({ quota, asked, used, limit }) => `ResourceQuota ${quota} is used up: requested ${asked}, used ${used}, limited to ${limit}`,
  ],
  [/failed quota: (?<quota>[^:]+): must specify (?<names>.+)$/s, ({ quota, names }) => `ResourceQuota ${quota} requires ${list(names)}`],
  [/violates PodSecurity "(?<level>[^":]+)[^"]*": (?<why>.+)$/s, ({ level, why }) => `Pod Security level ${level} forbids ${why}`],
  [
    /is forbidden: \[?(?<why>(?:maximum|minimum) [^[\]]+ usage per [^[\]]+?)(?:\]|$)/s,
    ({ why }) => `a LimitRange of the namespace rejects it: ${why}`,
  ],
  [/is forbidden: (?<why>.+ max limit to request ratio per .+)$/s, ({ why }) => `a LimitRange of the namespace rejects it: ${why}`],
  [/service account \S+: serviceaccount "(?<name>[^"]+)" not found/, ({ name }) => `ServiceAccount ${name} does not exist`],
  [
    /admission webhook "(?<name>[^"]+)" denied the request:? ?(?<why>.*)$/s,
    ({ name, why }) => `the admission webhook ${name} denies it${why === '' ? '' : `: ${why}`}`,
  ],
  [/failed calling webhook "(?<name>[^"]+)": (?<why>.+)$/s, ({ name, why }) => `the admission webhook ${name} ${silence(why ?? '')}`],
  [
    /ValidatingAdmissionPolicy '(?<name>[^']+)' (?:with binding '[^']+' )?denied request: (?<why>.+)$/s,
    ({ name, why }) => `the admission policy ${name} denies it: ${why}`,
  ],
  [/no PriorityClass with name (?<name>\S+) was found/, ({ name }) => `PriorityClass ${name} does not exist`],
  [/RuntimeClass "(?<name>[^"]+)" not found/, ({ name }) => `RuntimeClass ${name} does not exist`],
  [
    /unable to validate against any security context constraint: (?<why>.+)$/s,
    ({ why }) => `no security context constraint that its ServiceAccount may use allows it: ${why}`,
  ],
  [/namespace (?<name>\S+) because it is being terminated/, ({ name }) => `namespace ${name} is being deleted`],
  [/is forbidden: (?<why>.+)$/s, ({ why }) => why ?? ''],
  [/\b(?<kind>[A-Z]\w+) "[^"]*" is invalid: (?<why>.+)$/s, ({ kind, why }) => `the ${kind} would not be valid: ${why}`],
];

/** Why the api-server does not create an object, in plain words. */
export function rejection(message: string): string {
  const bounded = message.slice(0, MAX_LENGTH);
  for (const [pattern, words] of READINGS) {
    const groups = pattern.exec(bounded)?.groups;
    if (groups !== undefined) return excerpt(words(groups));
  }
  return excerpt(bounded.replace(/^.*? failed error: /s, '').replace(/^Error creating: /, ''));
}

const MAX_LENGTH = 4_000;

/** `limits.cpu for: main; limits.memory for: main` */
function list(names = ''): string {
  return names
    .split(/[;,]/)
    .map((name) => name.replace(/ for:.*$/s, '').trim())
    .filter((name, index, all) => name !== '' && all.indexOf(name) === index)
    .join(', ');
}

function silence(why: string): string {
  if (/no endpoints available for service|service "[^"]+" not found/.test(why)) return 'has no running server';
  if (/x509|certificate/.test(why)) return 'has a certificate that the api-server does not trust';
  return /connection refused|deadline exceeded|timeout|no such host|no route to host|EOF|connection reset/.test(why)
    ? 'does not answer'
    : `cannot be called: ${why}`;
}

const REPLICATED: readonly CauseRule[] = [podsRejected, referenceMissing];

/** What holds workloads, claims, autoscalers and budgets back; the first that applies. */
export const WORKLOAD_RULES: Readonly<Record<string, readonly CauseRule[]>> = {
  'apps/Deployment': [referenceMissing, deadlineExceeded],
  'apps/ReplicaSet': REPLICATED,
  'apps/StatefulSet': REPLICATED,
  'apps/DaemonSet': [...REPLICATED, nodesMissing],
  '/ReplicationController': REPLICATED,
  'batch/Job': [jobFailed, ...REPLICATED],
  'batch/CronJob': [cronJobSuspended, runsMissed, referenceMissing],
  '/PersistentVolumeClaim': [claimInUse, claimPending],
  'autoscaling/HorizontalPodAutoscaler': [metricsMissing, limitReached],
  'policy/PodDisruptionBudget': [evictionBlocked],
};

/** Only the events of most controllers say that their Pods are rejected. */
function podsRejected(subject: Subject): Finding | undefined {
  const { object } = subject;
  const [wanted, made] =
    object.kind === 'DaemonSet'
      ? [numberAt(object.status, 'desiredNumberScheduled') ?? 0, numberAt(object.status, 'currentNumberScheduled') ?? 0]
      : [wantedPods(subject), madePods(subject)];
  if (made >= wanted) return undefined;
  const condition = conditionsOf(object).find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const event = eventOf(subject, ['FailedCreate']);
  const message = event?.message ?? condition?.message;
  if (message === undefined) return undefined;
  const what = /create Claim /i.test(message) ? 'volume claims' : 'pods';
  const since = event?.firstSeen ?? conditionSince(object, 'ReplicaFailure', 'True');
  const found = blocked(`cannot create ${what}: ${rejection(message)}`, since);
  // A server that does not answer may do so in a moment.
  return /does not answer/.test(found.message) ? found : { ...found, isCertain: true };
}

function wantedPods({ object: { spec } }: Subject): number {
  return numberAt(spec, 'replicas') ?? numberAt(spec, 'parallelism') ?? 1;
}

function madePods({ object: { kind, status } }: Subject): number {
  if (kind !== 'Job') return numberAt(status, 'replicas') ?? 0;
  return ['active', 'succeeded', 'failed'].reduce((sum, member) => sum + (numberAt(status, member) ?? 0), 0);
}

const HOLDS_BACK = ['Mount', 'EnvFrom', 'VolumeClaim'];

function referenceMissing({ placed, object, health, context }: Subject): Finding | undefined {
  const edge = placed.edges.find((one) => HOLDS_BACK.includes(one.class) && isMissing(one, context));
  if (edge === undefined) return undefined;
  const { kind, name } = edge.named;
  const message = `needs ${kind.split('/')[1]} ${name}, which does not exist`;
  if (health?.status === 'Healthy' || health?.status === 'Suspended') return { rank: 'Warning', message };
  if (kind === '/Secret' && context.writtenSecrets.has(name)) return { rank: 'Waiting', message };
  return blocked(message, object.metadata.creationTimestamp);
}

function deadlineExceeded({ object }: Subject): Finding | undefined {
  const condition = conditionsOf(object).find(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded');
  if (condition === undefined) return undefined;
  const seconds = numberAt(object.spec, 'progressDeadlineSeconds') ?? 600;
  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  const available = numberAt(object.status, 'availableReplicas') ?? 0;
  return {
    rank: 'Reported',
    message: `has not progressed within its deadline of ${inSeconds(seconds)}: ${available} of ${wanted} pods are available`,
    ...sinceOf(conditionSince(object, 'Progressing', 'False')),
  };
}

function inSeconds(count: number): string {
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}

function jobFailed({ placed, object }: Subject): Finding | undefined {
  const condition = conditionsOf(object).find(({ type, status }) => type === 'Failed' && status === 'True');
  if (condition === undefined) return undefined;
  const since = conditionSince(object, 'Failed', 'True');
  const hook = textAt(object.metadata, 'annotations', 'helm.sh/hook');
  const subject = hook === undefined ? '' : `is a Helm hook (${hook}) and `;
  if (condition.reason === 'DeadlineExceeded') {
    return failed(
      `${subject}failed: it ran for longer than its deadline of ${inSeconds(numberAt(object.spec, 'activeDeadlineSeconds') ?? 0)}`,
      since,
    );
  }
  const pods = placed.children.map((child) => child.object).filter((child) => kindKey(child) === '/Pod');
  const ended = pods.flatMap(containersOf).find(({ ended }) => ended !== undefined && ended.exitCode !== 0);
  const attempts = numberAt(object.status, 'failed') ?? pods.length;
  const why =
    ended === undefined ? excerpt(condition.message || condition.reason) : `${ended.title} exited with code ${ended.ended?.exitCode}`;
  const times = condition.reason === 'BackoffLimitExceeded' ? ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : '';
  const pod = pods.find((one) => containersOf(one).some(({ name }) => name === ended?.name));
  const container =
    ended === undefined || pod === undefined ? {} : { container: { pod: pod.metadata.name, name: ended.name, previous: false } };
  return { ...failed(`${subject}failed${times}: ${why}`, since), ...container };
}

function cronJobSuspended({ object }: Subject): Finding | undefined {
  return at(object.spec, 'suspend') === true ? { rank: 'Waiting', message: 'is suspended, so that no new jobs start' } : undefined;
}

/** A CronJob reports nothing of itself but in events. */
function runsMissed(subject: Subject): Finding | undefined {
  const event = eventOf(subject, [
    'TooManyMissedTimes',
    'UnknownTimeZone',
    'UnparseableSchedule',
    'UnparseableCronJobSchedule',
    'FailedCreate',
  ]);
  if (event === undefined || !event.isWarning) return undefined;
  const why = event.reason === 'FailedCreate' ? rejection(event.message) : excerpt(event.message);
  return { rank: 'Warning', message: `starts no jobs: ${why}`, ...sinceOf(event.firstSeen) };
}

/** A DaemonSet without a node is well, and does nothing. */
function nodesMissing({ object }: Subject): Finding | undefined {
  if (numberAt(object.status, 'desiredNumberScheduled') !== 0 || numberAt(object.status, 'observedGeneration') === undefined)
    return undefined;
  const labels = Object.entries(objectAt(object.spec, 'template', 'spec', 'nodeSelector')).map(([key, value]) => `${key}=${String(value)}`);
  const why = labels.length === 0 ? 'no node fits its affinity and tolerations' : `no node that fits has the labels ${labels.join(', ')}`;
  return { rank: 'Warning', message: `runs nowhere: ${why}` };
}

/** A claim that is deleted stays as long as a Pod mounts it. */
function claimInUse({ object, context }: Subject): Finding | undefined {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  const user = context.placed.find(
    (one) => kindKey(one.object) === '/Pod' && one.edges.some((edge) => edge.class === 'Mount' && edge.target === object),
  );
  if (user === undefined) return undefined;
  const message = `is being deleted as soon as Pod ${user.object.metadata.name} no longer uses it`;
  return { rank: 'Reported', message, since: object.metadata.deletionTimestamp };
}

function claimPending(subject: Subject): Finding | undefined {
  const { object } = subject;
  const phase = textAt(object.status, 'phase');
  if (phase === 'Lost') return blocked('has lost its volume', eventOf(subject, ['ClaimLost'])?.firstSeen);
  if (phase === 'Bound') return resizeFailed(subject);
  const since = object.metadata.creationTimestamp;
  const event = eventOf(subject, ['ProvisioningFailed', 'FailedBinding']);
  const missing = /storageclass\.storage\.k8s\.io "([^"]+)" not found/.exec(event?.message ?? '')?.[1];
  if (missing !== undefined) return blocked(`has no volume: StorageClass ${missing} does not exist`, since);
  if (/no storage class is set/.test(event?.message ?? ''))
    return blocked('has no volume: no volume fits, and it names no StorageClass', since);
  if (event !== undefined)
    return blocked(
      `has no volume: ${excerpt(event.message.replace(/^failed to provision volume with StorageClass "[^"]+": /, ''))}`,
      since,
    );
  const provisioner = /external provisioner '([^']+)'/.exec(eventOf(subject, ['ExternalProvisioning'])?.message ?? '')?.[1];
  if (provisioner !== undefined) return blocked(`has no volume: it waits for the provisioner ${provisioner}`, since);
  return undefined;
}

function resizeFailed(subject: Subject): Finding | undefined {
  const event = eventOf(subject, ['VolumeResizeFailed', 'FileSystemResizeFailed']);
  return event === undefined || listAt(subject.object.status, 'conditions').length === 0
    ? undefined
    : { rank: 'Reported', message: `cannot be resized: ${excerpt(event.message)}`, ...sinceOf(event.firstSeen) };
}

function metricsMissing({ object }: Subject): Finding | undefined {
  const broken = conditionsOf(object).find(({ type, status }) => status === 'False' && ['AbleToScale', 'ScalingActive'].includes(type));
  if (broken === undefined || broken.reason === 'ScalingDisabled') return undefined;
  const since = conditionSince(object, broken.type, 'False');
  const api = /\b((?:custom\.|external\.)?metrics\.k8s\.io)\b/.exec(broken.message)?.[1];
  const isAbsent =
    api !== undefined && /could not find the requested resource|no matches for kind|unable to handle the request/.test(broken.message);
  const message = isAbsent
    ? `cannot read metrics: the cluster has no working metrics API (${api})`
    : `cannot scale: ${excerpt(broken.message)}`;
  return { rank: 'Reported', message, ...sinceOf(since) };
}

/** The app may be too slow, and is as large as it may become. */
function limitReached({ object }: Subject): Finding | undefined {
  const limited = conditionsOf(object).find(
    ({ type, status, reason }) => type === 'ScalingLimited' && status === 'True' && reason === 'TooManyReplicas',
  );
  const most = numberAt(object.spec, 'maxReplicas');
  return limited === undefined || most === undefined
    ? undefined
    : { rank: 'Warning', message: `wants more than its maximum of ${most} ${most === 1 ? 'replica' : 'replicas'}` };
}

/** A budget that never allows an eviction keeps nodes from being drained; one whose Pods are not well does so because of them. */
function evictionBlocked({ object }: Subject): Finding | undefined {
  const [expected, desired, healthy, allowed] = ['expectedPods', 'desiredHealthy', 'currentHealthy', 'disruptionsAllowed'].map(
    (member) => numberAt(object.status, member) ?? 0,
  );
  if (expected === undefined || expected === 0 || allowed !== 0 || desired !== expected || healthy !== expected) return undefined;
  const pods = expected === 1 ? 'its only pod' : `all of its ${expected} pods`;
  return { rank: 'Warning', message: `never allows an eviction: ${pods} must stay available, so that nodes cannot be drained` };
}
