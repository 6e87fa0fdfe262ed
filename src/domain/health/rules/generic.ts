import { at, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { conditionsOf, type ForeignCondition, sentence } from './conditions.ts';
import { ancestorsHealth, parentsHealth } from './gateway-api.ts';
import { statusFieldsHealth, meaningOfReason, RUN } from './status-fields.ts';

/** Conditions that sum an object up, the most telling first. */
const POSITIVE = [
  'Finished',
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
  'Serving',
  'Imported',
  'Active',
];

/** Of what runs once, these tell more than that it is ready to run. */
const ENDS = ['Succeeded', 'Complete', 'Completed', 'Done'];

/** The same of a part, such as `DatabaseReady`: all of them count where none of the above is there. */
const POSITIVE_PART =
  /(Ready|Available|Succeeded|Success|Healthy|Applied|Deployed|Synchronized|Synced|Resolved|Validated|Accepted|Installed|Completed|Reconciled|ResolvedRefs|-available|-ready)$/;
const NEGATIVE =
  /^(Stalled|Fail|Failed|Failure|Degraded|Failing|Conflict|Error|Errored|Errors|HasErrors|Invalid|InvalidSpec|NotReady|Unavailable|Unhealthy|Terminal|Irreconcilable|.*\.Terminal|.*Failed|.*Failure|.*Error|.*Unhealthy|.*Degraded)$/;
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
  'RollingOut',
  'Scaling',
  'ScalingUp',
  'ScalingDown',
  'Remediating',
];
/** Of these, the ones that tell of a change beside a summary that still holds for the pods before it. */
const ROLLOUT = ['Progressing', 'RollingOut', 'ScalingUp', 'ScalingDown'];
const SUSPENDED = /^(Suspended|Paused|ReconciliationPaused|Hibernating|Hibernated|Asleep|Stopped|\w+Suspended)$/;
/** Summaries that are a verdict: nothing is under way that would make them true. */
const VERDICTS = ['Valid', 'Accepted', 'Compliant'];

/**
 * The rule for kinds that have none of their own, after kstatus (github.com/kubernetes-sigs/cli-utils) and the conventions of the Kubernetes API: an older
 * observed generation is Progressing, `Stalled=True` and its like are Degraded, `Ready=True` and its like are Healthy; `False` is Progressing while something is
 * being done (`Reconciling=True`, or a reason that says so), and Degraded otherwise. Without conditions that we know, the other fields of the status count.
 */
export function genericHealth(object: KubeObject): Health | undefined {
  if (!isObject(object.status)) return suspensionHealth(object, []);
  const conditions = conditionsOf(object).map(capitalized);
  if (isOutdated(object, numberAt(object.status, 'observedGeneration'))) return OUTDATED;
  return (
    reportedFailure(conditions) ??
    reportedSuspension(conditions) ??
    failureHealth(conditions) ??
    suspensionHealth(object, conditions) ??
    summaryHealth(object, conditions) ??
    partsHealth(object, conditions)
  );
}

/** Some write types in small letters, against the conventions. */
function capitalized(condition: ForeignCondition): ForeignCondition {
  return { ...condition, type: condition.type.charAt(0).toUpperCase() + condition.type.slice(1) };
}

const OUTDATED: Health = { status: 'Progressing', message: 'Waiting for the controller to observe the latest change' };

function isOutdated({ metadata }: KubeObject, observed: number | undefined): boolean {
  const generation = numberAt(metadata, 'generation');
  return observed !== undefined && observed >= 0 && generation !== undefined && observed < generation;
}

function reportedFailure(conditions: readonly ForeignCondition[]): Health | undefined {
  const failed = conditions.find(({ type, status }) => status === 'True' && NEGATIVE.test(type));
  return failed === undefined ? undefined : { status: 'Degraded', message: sentence(failed) };
}

/** What is suspended lacks its parts on purpose. */
function reportedSuspension(conditions: readonly ForeignCondition[]): Health | undefined {
  const suspended = conditions.find(({ type, status }) => status === 'True' && SUSPENDED.test(type));
  return suspended === undefined ? undefined : { status: 'Suspended', message: sentence(suspended) };
}

function failureHealth(conditions: readonly ForeignCondition[]): Health | undefined {
  const failed = conditions.find(isFailure);
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
    ({ type, status, reason }) => status !== 'True' && isPositive(type) && meaningOfReason(reason) === 'Suspended',
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
  const types = RUN.test(object.kind) ? [...ENDS, ...POSITIVE] : POSITIVE;
  const summary = types.map((type) => conditions.find((condition) => condition.type === type)).find((found) => found !== undefined);
  if (summary === undefined) return undefined;
  if (isOutdated(object, summary.observedGeneration)) return OUTDATED;
  const message = sentence(summary);
  const busy = conditions.find(isBusy);
  if (summary.status === 'True') {
    if (summary.type === 'Synced' && summary.reason === 'ReconcileSuccess') return progressing({ ...summary, message: NOT_READY_YET });
    const rollout = conditions.find((condition) => ROLLOUT.includes(condition.type) && isBusy(condition));
    return rollout === undefined || summary.type === 'Ready' ? { status: 'Healthy', message } : progressing(rollout);
  }
  const fields = statusFieldsHealth(object);
  if (fields?.status === 'Degraded' || fields?.status === 'Suspended') return fields;
  if (busy !== undefined) return progressing(busy);
  const telling = summary.status === 'False' ? tellingOf(summary, conditions) : summary;
  const status = summary.status === 'False' ? falseMeans(object, telling) : 'Progressing';
  const isVague = !isTelling(telling) && !COMPLAINT.test(telling.message);
  if (fields?.status === 'Progressing' && isVague) return { status: 'Progressing', message: telling.message || fields.message };
  return { status, message: telling === summary ? message : sentence(telling) };
}

/** A summary that says no more than that it does not hold leaves the word to the part that does not. */
function tellingOf(summary: ForeignCondition, conditions: readonly ForeignCondition[]): ForeignCondition {
  if (isTelling(summary) || summary.message !== '') return summary;
  return conditions.find((one) => one.status === 'False' && POSITIVE_PART.test(one.type) && isTelling(one)) ?? summary;
}

/** Whether the reason says more than the type. */
function isTelling({ type, reason }: ForeignCondition): boolean {
  return reason !== '' && reason !== type && reason !== `Not${type}`;
}

/** Crossplane writes this reason into every kind that it makes, `Synced` first and `Ready` later. */
const NOT_READY_YET = 'Waiting for the resource to be ready';

/** What it means that a summary does not hold: where the reason says no more than that, the first words of the message may tell. */
function falseMeans(object: KubeObject, condition: ForeignCondition): HealthStatus {
  const { type, reason, message } = condition;
  const severity = listAt(object.status, 'conditions').find((item) => textAt(item, 'type') === type);
  if (textAt(severity, 'severity') === 'Info') return 'Progressing';
  if (isTelling(condition)) return meaningOfReason(reason) ?? 'Degraded';
  if (message === '') return VERDICTS.includes(type) ? 'Degraded' : 'Progressing';
  return UNDER_WAY.test(message) ? 'Progressing' : 'Degraded';
}

/** How a message tells of work, below whatever reason. */
const UNDER_WAY = /^(a?wait|pending|creating|provisioning|reconciling|in progress)|\bnot yet\b|\b(is|are) being\b/i;

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
  const broken = conditions.find(({ type, status, reason }) => status === 'False' && !NEGATIVE.test(type) && BROKEN.test(reason));
  if (broken !== undefined) return { status: 'Degraded', message: sentence(broken) };
  const work = conditions.find(({ type, status }) => status === 'True' && WORK_TYPE.test(type) && isWork(type));
  if (work !== undefined) return progressing(work);
  return Array.isArray(at(object.status, 'conditions')) && conditions.length === 0 ? UNREPORTED : undefined;
}

/** Reasons that name a failure below whatever type. */
const BROKEN = /(Error|Errored|Failed|Failure|Aborted)$|^Invalid/;

/** Some use the type of the one condition that is true as a phase: `PendingProposal`, `Rebalancing`. */
const WORK_TYPE = /^Pending|ing$/;

/** The controller lists conditions, and has none yet. */
const UNREPORTED: Health = { status: 'Progressing', message: 'Waiting for the controller to report conditions' };
