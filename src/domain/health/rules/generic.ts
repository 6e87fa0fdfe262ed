import { at, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { conditionsOf, type ForeignCondition, sentence } from './conditions.ts';
import { ancestorsHealth, parentsHealth } from './gateway-api.ts';

/** Conditions that sum an object up, the most telling first. */
const POSITIVE = [
  'Ready',
  'Available',
  'Succeeded',
  'Established',
  'Complete',
  'Completed',
  'Synced',
  'Healthy',
  'Valid',
  'Programmed',
  'Accepted',
  'Compliant',
  'Successful',
  'Admitted',
  'Applied',
  'Deployed',
  'Done',
  'Reconciled',
  'SuccessfullyReconciled',
];

/** The same of a part, such as `DatabaseReady`: all of them count where none of the above is there. */
const POSITIVE_PART =
  /(Ready|Available|Succeeded|Success|Healthy|Applied|Deployed|Synchronized|Synced|Resolved|Validated|Accepted|Installed|Completed|Reconciled|ResolvedRefs|-available|-ready)$/;
const NEGATIVE =
  /^(Stalled|Fail|Failed|Failure|Degraded|Failing|Conflict|Error|Errored|Errors|HasErrors|Invalid|InvalidSpec|NotReady|Unhealthy|Terminal|Irreconcilable|.*\.Terminal|.*Failed|.*Failure|.*Error|.*Unhealthy|.*Degraded)$/;
const BUSY = [
  'Reconciling',
  'Progressing',
  'Issuing',
  'Running',
  'InProgress',
  'Updating',
  'Upgrading',
  'Installing',
  'RollingUpdate',
  'Scaling',
];
const SUSPENDED = ['Suspended', 'Paused', 'ReconciliationPaused', 'Hibernating', 'Hibernated'];

/**
 * The rule for kinds that have none of their own, after kstatus (github.com/kubernetes-sigs/cli-utils) and the conventions of the Kubernetes API: an older
 * observed generation is Progressing, `Stalled=True` and its like are Degraded, `Ready=True` and its like are Healthy; `False` is Progressing while something is
 * being done (`Reconciling=True`, or a reason that says so), and Degraded otherwise. Without conditions that we know, the other fields of the status count.
 */
export function genericHealth(object: KubeObject): Health | undefined {
  if (!isObject(object.status)) return suspensionHealth(object, []);
  const conditions = conditionsOf(object);
  if (isOutdated(object, numberAt(object.status, 'observedGeneration'))) return OUTDATED;
  return (
    failureHealth(conditions) ??
    suspensionHealth(object, conditions) ??
    summaryHealth(object, conditions) ??
    partsHealth(object, conditions)
  );
}

const OUTDATED: Health = { status: 'Progressing', message: 'Waiting for the controller to observe the latest change' };

function isOutdated({ metadata }: KubeObject, observed: number | undefined): boolean {
  const generation = numberAt(metadata, 'generation');
  return observed !== undefined && observed >= 0 && generation !== undefined && observed < generation;
}

function failureHealth(conditions: readonly ForeignCondition[]): Health | undefined {
  const failed = conditions.find(({ type, status }) => status === 'True' && NEGATIVE.test(type)) ?? conditions.find(isFailure);
  return failed === undefined ? undefined : { status: 'Degraded', message: sentence(failed) };
}

/** A condition that should hold and names a failure as the reason why it does not; work that stopped by one; or a job that ended, and failed. */
function isFailure({ type, status, reason, message }: ForeignCondition): boolean {
  if (BUSY.includes(type)) return status === 'False' && meaningOfReason(reason) === 'Degraded';
  if (!isPositive(type)) return false;
  if (status === 'True') return /(Failed|Failure)$/.test(reason);
  if (meaningOfReason(reason) === 'Degraded') return true;
  return status === 'False' && (REJECTION.test(reason) || (type === 'ResolvedRefs' && !isWork(reason)) || COMPLAINT.test(message));
}

/** Reasons of references and permissions: what is asked for does not exist, or must not be used. No reason says by itself that it will come. */
const REJECTION =
  /([A-Za-z]NotFound|[A-Za-z]Missing|NotPermitted|NotAllowed\w*|Unsupported\w*|NotSupported|Unauthorized|Forbidden|Unresolved|NoMatching\w+|Incompatible\w*)$/;

function isWork(reason: string): boolean {
  return meaningOfReason(reason) === 'Progressing';
}

/** How a message begins that tells of an error, below whatever reason. */
const COMPLAINT = /^(error|failed|failure|cannot|can't|could not|unable)\b/i;

function isPositive(type: string): boolean {
  return POSITIVE.includes(type) || POSITIVE_PART.test(type);
}

function suspensionHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const suspended = conditions.find(
    ({ type, status, reason }) =>
      (status === 'True' && SUSPENDED.includes(type)) || (status !== 'True' && isPositive(type) && meaningOfReason(reason) === 'Suspended'),
  );
  if (suspended !== undefined) return { status: 'Suspended', message: sentence(suspended) };
  return isAskedToRest(object) ? { status: 'Suspended', message: `${object.kind} is suspended` } : undefined;
}

/** Somebody asked the controller to leave the object alone, or to stop what it runs. */
function isAskedToRest({ metadata, spec }: KubeObject): boolean {
  if (['suspend', 'suspended', 'paused', 'pause'].some((name) => at(spec, name) === true)) return true;
  const annotations = at(metadata, 'annotations');
  return (
    isObject(annotations) &&
    Object.entries(annotations).some(([name, value]) => value === 'true' && /\/(paused|pause-reconcile)$/.test(name))
  );
}

/** By the one condition that sums the object up; undefined where there is none. */
function summaryHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const summary = POSITIVE.map((type) => conditions.find((condition) => condition.type === type)).find((found) => found !== undefined);
  if (summary === undefined) return undefined;
  if (isOutdated(object, summary.observedGeneration)) return OUTDATED;
  const message = sentence(summary);
  const busy = conditions.find(isBusy);
  if (summary.status === 'True') {
    if (summary.type === 'Synced' && summary.reason === 'ReconcileSuccess') return progressing({ ...summary, message: NOT_READY_YET });
    const rollout = conditions.find((condition) => condition.type === 'Progressing' && isBusy(condition));
    return rollout === undefined || summary.type === 'Ready' ? { status: 'Healthy', message } : progressing(rollout);
  }
  const fields = statusFieldsHealth(object);
  if (fields?.status === 'Degraded' || fields?.status === 'Suspended') return fields;
  if (busy !== undefined) return progressing(busy);
  return { status: summary.status === 'False' ? falseMeans(object, summary) : 'Progressing', message };
}

/** Crossplane writes this reason into every kind that it makes, `Synced` first and `Ready` later. */
const NOT_READY_YET = 'Waiting for the resource to be ready';

/** What it means that a summary does not hold: where the reason says no more than that, the first words of the message may tell. */
function falseMeans(object: KubeObject, { type, reason, message }: ForeignCondition): HealthStatus {
  const severity = listAt(object.status, 'conditions').find((item) => textAt(item, 'type') === type);
  if (textAt(severity, 'severity') === 'Info') return 'Progressing';
  if (reason !== '' && reason !== type && reason !== `Not${type}`) return meaningOfReason(reason) ?? 'Degraded';
  return message === '' || /^(wait|pending|creating|provisioning|reconciling|in progress)/i.test(message) ? 'Progressing' : 'Degraded';
}

function isBusy({ type, status, reason }: ForeignCondition): boolean {
  return status === 'True' && BUSY.includes(type) && !IDLE.includes(reason);
}

/** Reasons below which nothing is being done: a Deployment keeps `Progressing=True` after its rollout, and Flux tries again what failed. */
const IDLE = ['NewReplicaSetAvailable', 'ProgressingWithRetry', 'Successful', 'Succeeded', 'Complete', 'Completed'];

function progressing(condition: ForeignCondition): Health {
  return { status: 'Progressing', message: sentence(condition) };
}

/** By the conditions of parts, by what others say of the object, and by the other fields of the status: the worst counts. */
function partsHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const fields = statusFieldsHealth(object) ?? parentsHealth(object) ?? ancestorsHealth(object);
  if (fields !== undefined && fields.status !== 'Healthy') return fields;
  const parts = conditions.filter(({ type }) => POSITIVE_PART.test(type));
  const open = parts.find(({ status }) => status !== 'True') ?? conditions.find(isBusy);
  if (open !== undefined) return progressing(open);
  const [good] = parts;
  if (isOutdated(object, good?.observedGeneration)) return OUTDATED;
  if (fields !== undefined) return fields;
  if (good !== undefined) return { status: 'Healthy', message: sentence(good) };
  const fault = conditions.find(({ type, status }) => status === 'False' && NEGATIVE.test(type));
  if (fault !== undefined) return { status: 'Healthy', message: fault.message || `${object.kind} reports no fault` };
  return Array.isArray(at(object.status, 'conditions')) && conditions.length === 0 ? UNREPORTED : undefined;
}

/** The controller lists conditions, and has none yet. */
const UNREPORTED: Health = { status: 'Progressing', message: 'Waiting for the controller to report conditions' };

/** Where controllers write the one word for their object, the most common first. */
const PHASES: readonly (readonly string[])[] = [
  ['phase'],
  ['state'],
  ['health'],
  ['status'],
  ['currentState'],
  ['overallStatus'],
  ['updateStatus'],
  ['printableStatus'],
  ['health', 'status'],
  ['status', 'phase'],
  ['applicationState', 'state'],
  ['lastOperation', 'state'],
];

/** The health that the status says outside its conditions: in a phase, in a boolean, in an error, in replicas; undefined when in none of them. */
function statusFieldsHealth(object: KubeObject): Health | undefined {
  return phaseHealth(object) ?? flagHealth(object) ?? replicaHealth(object);
}

function phaseHealth({ kind, status }: KubeObject): Health | undefined {
  const words = [...PHASES.map((path) => textAt(status, ...path) ?? ''), ...otherPhases(status)];
  const known = words.flatMap((word) => {
    const meaning = meaningOfPhase(word, kind);
    return meaning === undefined ? [] : [{ status: meaning, message: word }];
  });
  const [first] = known;
  // A phase says that the controller is done, and another field what came of it.
  const found = first?.status === 'Healthy' ? (known.find((one) => one.status === 'Degraded') ?? first) : first;
  return found === undefined ? undefined : { ...found, message: textAt(status, 'message') || found.message };
}

/** Fields such as `PostgresClusterStatus`; what speaks of the past or of a wish is left aside. */
function otherPhases(status: unknown): string[] {
  if (!isObject(status)) return [];
  return Object.entries(status)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, value]) =>
      typeof value === 'string' &&
      /(phase|state|status|health)$/i.test(name) &&
      !/^(last(?!Operation)|previous|desired|target|old)/i.test(name)
        ? [value]
        : [],
    );
}

const MAX_FIELDS = 100;

/** What it means that a field of the status is true, and that it is false. */
const FLAGS: readonly (readonly [field: string, whenTrue: HealthStatus | undefined, whenFalse: HealthStatus | undefined])[] = [
  ['failed', 'Degraded', undefined],
  ['suspended', 'Suspended', undefined],
  ['paused', 'Suspended', undefined],
  ['healthy', 'Healthy', 'Degraded'],
  ['valid', 'Healthy', 'Degraded'],
  ['ready', 'Healthy', 'Progressing'],
  ['readyToUse', 'Healthy', 'Progressing'],
  ['available', 'Healthy', 'Progressing'],
];

const ERRORS = ['error', 'errMsg', 'errorMessage', 'errorDescription', 'failureMessage'];

function flagHealth({ kind, status }: KubeObject): Health | undefined {
  const error = [...ERRORS.map((name) => textAt(status, name)), textAt(status, 'error', 'message')].find(
    (text) => !['', 'none'].includes((text ?? '').toLowerCase()),
  );
  if (error !== undefined) return { status: 'Degraded', message: error };
  for (const [field, whenTrue, whenFalse] of FLAGS) {
    const flag = flagOf(at(status, field));
    const meaning = flag === undefined ? undefined : flag ? whenTrue : whenFalse;
    if (meaning !== undefined)
      return { status: meaning, message: `${kind} is ${flag === true ? '' : 'not '}${field === 'readyToUse' ? 'ready to use' : field}` };
  }
  return undefined;
}

/** Some write a boolean as a text. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'True' || value === 'true') return true;
  return value === false || value === 'False' || value === 'false' ? false : undefined;
}

/** By what is ready of what is wanted. */
function replicaHealth({ spec, status }: KubeObject): Health | undefined {
  const wanted = numberAt(spec, 'replicas') ?? numberAt(status, 'replicas');
  const ready = numberAt(status, 'readyReplicas') ?? numberAt(status, 'availableReplicas');
  if (wanted === undefined || ready === undefined) return undefined;
  return {
    status: ready < wanted ? 'Progressing' : 'Healthy',
    message: `${ready} of ${wanted} ${wanted === 1 ? 'replica is' : 'replicas are'} ready`,
  };
}

/**
 * What controllers call the state of an object in a reason, a phase or a state: the first row with a match counts. Something that failed while it was being
 * created failed, so failures stand first.
 */
const WORDS: readonly (readonly [HealthStatus, RegExp])[] = [
  [
    'Degraded',
    /fail|error|exception|invalid|degraded|reject|crash|unhealthy|stalled|evicted|refused|denied|mismatch|conflict|warning|expired|timed ?out|timeout|exceeded|corrupt|aborted|unrecoverable|outofsync|noncompliant|backoff|lost\b|^(red|offline|dead|down|broken|inactive|unavailable)$/i,
  ],
  ['Suspended', /suspend|paus|hibernat|stopped|disabled|cordoned/i],
  ['Missing', /^(notfound|missing|absent)$/i],
  ['Unknown', /^(unknown|inconclusive)$/i],
  [
    'Progressing',
    /pending|progress|creat(?!ed)|initiali[sz](?!ed)|provision(?!ed)|start(?!ed)|wait|notready|install(?!ed)|deploy(?!ed)|reconcil(?!ed)|scaling|updat(?!ed)|upgrad(?!ed)|issuing|schedul|restor(?!ed)|import(?!ed)|clon(?!ed)|running|transfer|bootstrap|delet|terminating|stopping|queued|building|migrating|resizing|configuring|applying|backing ?up|joining|syncing|recovering|preparing|draining|rolling|rebalancing|not ?complete|^(new|init|yellow)/i,
  ],
];

const GOOD =
  /^(ready|running|active|available|healthy|bound|succeeded|success|successful|successfully|completed?|done|finished|accepted|approved|applied|attached|admitted|compliant|configured|connected|enabled|exists|online|green|deployed|established|initialized|insync|loaded|ok|okay|operational|passed|passing|programmed|provisioned|published|reconciled|registered|resolved|serving|stable|synced|synchronized|installed|imported|created|started|updated|restored|valid|validated|verified|up|uptodate|normal|works)$/i;

/** Kinds whose objects run once: while they run, they are not done. */
const RUN =
  /(Run|Job|Task|Backup|Restore|Snapshot|Build|Test|Scan|Experiment|Workflow|Execution|Migration|Operation|Rebalance|Request|Export|Import|Upgrade)$/;

/** What the reason of a condition that does not hold means; undefined when it says neither failure nor work. */
function meaningOfReason(reason: string): HealthStatus | undefined {
  return WORDS.find(([, pattern]) => pattern.test(reason.slice(0, MAX_LENGTH)))?.[0];
}

/** What a phase or a state of an object of the kind means: `Running` is the end of a server and the middle of a job. */
function meaningOfPhase(phase: string, kind: string): HealthStatus | undefined {
  const word = phase.slice(0, MAX_LENGTH).trim();
  const isGood = GOOD.test(word.replace(/^(state|phase|status)_/i, '').replaceAll(/[\s_-]/g, ''));
  if (!isGood) return meaningOfReason(word.replaceAll('_', ''));
  return /^(running|active|started)$/i.test(word) && RUN.test(kind) ? 'Progressing' : 'Healthy';
}

/** Of a word; what is longer is a sentence. */
const MAX_LENGTH = 120;
