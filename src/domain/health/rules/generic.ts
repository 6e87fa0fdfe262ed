import { at, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { conditionsOf, type ForeignCondition, sentence } from './conditions.ts';
import { ENDS, meaningOfType, ROLLOUT, SUMMARIES, VERDICTS } from './condition-types.ts';
import { ancestorsHealth, parentsHealth } from './gateway-api.ts';
import { isAskedToRest } from './rest.ts';
import { meaningOfReason, RUN } from './state-words.ts';
import { statusFieldsHealth } from './status-fields.ts';

/**
 * The rule for kinds that have none of their own, after kstatus (github.com/kubernetes-sigs/cli-utils) and the conventions of the Kubernetes API: an older
 * observed generation is Progressing, `Stalled=True` and its like are Degraded, `Ready=True` and its like are Healthy unless something else contradicts; `False` is
 * Progressing while something is being done (`Reconciling=True`, or a reason that says so), and Degraded otherwise. Without conditions that we know, the other fields of
 * the status count. What is unclear is never Healthy.
 */
export function genericHealth(object: KubeObject): Health | undefined {
  if (!isObject(object.status)) return suspensionHealth(object, []);
  if (isOutdated(object, numberAt(object.status, 'observedGeneration'))) return OUTDATED;
  const all = conditionsOf(object).map(capitalized);
  const conditions = all.filter(({ observedGeneration }) => !isOutdated(object, observedGeneration));
  return (
    reportedFailure(conditions) ??
    reportedSuspension(conditions) ??
    failureHealth(conditions) ??
    suspensionHealth(object, conditions) ??
    (all.some((one) => !conditions.includes(one) && isExpected(one)) ? OUTDATED : undefined) ??
    summaryHealth(object, conditions) ??
    partsHealth(object, conditions)
  );
}

/** Some write types in small letters, against the conventions. */
function capitalized(condition: ForeignCondition): ForeignCondition {
  return { ...condition, type: condition.type.charAt(0).toUpperCase() + condition.type.slice(1) };
}

export const OUTDATED: Health = { status: 'Progressing', message: 'Waiting for the controller to observe the latest change' };

/** Whether something was observed of an older generation of an object; a generation below zero tells nothing. */
export function isOutdated({ metadata }: KubeObject, observed: number | undefined): boolean {
  const generation = numberAt(metadata, 'generation');
  return observed !== undefined && observed >= 0 && generation !== undefined && observed < generation;
}

function reportedFailure(conditions: readonly ForeignCondition[]): Health | undefined {
  const failed = conditions.find(({ type, status }) => status === 'True' && meaningOfType(type) === 'Negative');
  return failed === undefined ? undefined : { status: 'Degraded', message: sentence(failed) };
}

/** What is suspended lacks its parts on purpose. */
function reportedSuspension(conditions: readonly ForeignCondition[]): Health | undefined {
  const suspended = conditions.find(({ type, status }) => status === 'True' && meaningOfType(type) === 'Suspended');
  return suspended === undefined ? undefined : { status: 'Suspended', message: sentence(suspended) };
}

function failureHealth(conditions: readonly ForeignCondition[]): Health | undefined {
  const failed = conditions.find(isFailure);
  return failed === undefined ? undefined : { status: 'Degraded', message: sentence(failed) };
}

/** A condition that should hold and names a failure as the reason why it does not; work that stopped by one; or a job that ended, and failed. */
function isFailure(condition: ForeignCondition): boolean {
  const { type, status, reason, message } = condition;
  const meaning = meaningOfType(type);
  if (meaning === 'Negative' || meaning === 'Suspended') return false;
  if (meaning === 'Busy') return isErrorWhile(condition);
  if (!isExpected(condition)) return status === 'False' && BROKEN.test(reason);
  if (status === 'True') return /(Failed|Failure)$/.test(reason);
  if (meaningOfReason(reason) === 'Degraded') return true;
  if (!['True', 'False', 'Unknown'].includes(status)) return meaningOfReason(status) === 'Degraded';
  return status === 'False' && (REJECTION.test(reason) || (type === 'ResolvedRefs' && !isWork(reason)) || COMPLAINT.test(message));
}

function isErrorWhile({ status, reason }: ForeignCondition): boolean {
  return status === 'False' && meaningOfReason(reason) === 'Degraded';
}

/** Reasons that name a failure below whatever type. */
const BROKEN = /(Error|Errored|Failed|Failure|Failing|Aborted)$|^Invalid/;

/** Reasons of references and permissions: what is asked for does not exist, or must not be used. No reason says by itself that it will come. */
const REJECTION =
  /([A-Za-z]NotFound|[A-Za-z]Missing|NotPermitted|NotAllowed\w*|Unsupported\w*|NotSupported|Unauthorized|Forbidden|Unresolved|NoMatching\w+|Incompatible\w*)$/;

function isWork(reason: string): boolean {
  return meaningOfReason(reason) === 'Progressing';
}

/** How a message tells of an error, below whatever reason. */
const COMPLAINT =
  /^(error|failed|failure|cannot|can't|could not|unable)\b|\b(syntax error|access denied|permission denied|unauthori[sz]ed|forbidden)\b/i;

/** Good news that has to hold. */
function isExpected({ type }: ForeignCondition): boolean {
  const meaning = meaningOfType(type);
  return meaning === 'Summary' || meaning === 'Part';
}

function suspensionHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const suspended = conditions.find((one) => one.status !== 'True' && isExpected(one) && RESTING.test(one.reason));
  if (suspended !== undefined) return { status: 'Suspended', message: sentence(suspended) };
  return isAskedToRest(object) ? { status: 'Suspended', message: `${object.kind} is suspended` } : undefined;
}

/** Reasons that say that somebody stopped the object, not that something else has stopped. */
const RESTING =
  /^(suspend|paus|hibernat|stopped|halted|disabled|cordoned)|(suspend|suspended|pause|paused|hibernated|halted|disabled|cordoned|bypause|bysuspend)$/i;

/** By the one condition that sums the object up; undefined where there is none. */
function summaryHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const types = RUN.test(object.kind) ? [...ENDS, ...SUMMARIES] : SUMMARIES;
  const summary = types.map((type) => conditions.find((condition) => condition.type === type)).find((found) => found !== undefined);
  if (summary === undefined) return undefined;
  return summary.status === 'True' ? holdingHealth(object, summary, conditions) : openHealth(object, summary, conditions);
}

/** A summary that holds, unless a part, a field or a count contradicts. */
function holdingHealth(object: KubeObject, summary: ForeignCondition, conditions: readonly ForeignCondition[]): Health {
  const opposite = conditions.find((one) => one !== summary && one.status === 'False' && contradicts(object, summary, one));
  if (opposite !== undefined) return { status: isWaiting(opposite) ? 'Progressing' : 'Degraded', message: sentence(opposite) };
  const fields = statusFieldsHealth(object);
  if (fields?.status === 'Degraded' || fields?.status === 'Suspended') return fields;
  if (summary.type === 'Synced' && summary.reason === 'ReconcileSuccess') return progressing({ ...summary, message: NOT_READY_YET });
  const rollout = conditions.find((condition) => ROLLOUT.includes(condition.type) && isBusy(condition));
  if (rollout !== undefined && summary.type !== 'Ready') return progressing(rollout);
  return { status: 'Healthy', message: sentence(summary) };
}

/** Whether a condition that does not hold says the opposite of the summary. Runs that are ready are not complete yet. */
function contradicts(object: KubeObject, summary: ForeignCondition, other: ForeignCondition): boolean {
  if (!isExpected(other) || other.type === 'Active' || ENDS.includes(other.type)) return false;
  return severityOf(object, other.type) !== 'Info' && summary.type !== other.type;
}

/** What was true once and for all before an object could work does not come by waiting. */
const BASE = ['Installed', 'Established', 'Valid', 'Accepted', 'Validated'];

function isWaiting({ type, reason, message }: ForeignCondition): boolean {
  return !BASE.includes(type) && (isWork(reason) || (message !== '' && UNDER_WAY.test(message)));
}

/** A summary that does not hold. */
function openHealth(object: KubeObject, summary: ForeignCondition, conditions: readonly ForeignCondition[]): Health {
  const fields = statusFieldsHealth(object);
  if (fields?.status === 'Degraded' || fields?.status === 'Suspended') return fields;
  const busy = conditions.find(isBusy);
  if (busy !== undefined) return progressing(busy);
  const telling = summary.status === 'False' ? tellingOf(summary, conditions) : summary;
  const status = summary.status === 'False' ? falseMeans(object, telling) : 'Progressing';
  const isVague = !isTelling(telling) && !COMPLAINT.test(telling.message);
  if (fields?.status === 'Progressing' && isVague) return { status: 'Progressing', message: telling.message || fields.message };
  return { status, message: sentence(telling) };
}

/** A summary that says no more than that it does not hold leaves the word to the part that does not. */
function tellingOf(summary: ForeignCondition, conditions: readonly ForeignCondition[]): ForeignCondition {
  if (isTelling(summary) || summary.message !== '') return summary;
  return conditions.find((one) => one.status === 'False' && isExpected(one) && isTelling(one)) ?? summary;
}

/** Whether the reason says more than the type: `NotProvisioned` does not. */
function isTelling({ type, reason }: ForeignCondition): boolean {
  return reason !== '' && reason !== type && !/^Not(?=[A-Z])\w*(ed|Ready|Available|Healthy|Running)$/.test(reason);
}

/** Crossplane writes this reason into every kind that it makes, `Synced` first and `Ready` later. */
const NOT_READY_YET = 'Waiting for the resource to be ready';

/** What it means that a summary does not hold: where the reason says no more than that, the first words of the message may tell. */
function falseMeans(object: KubeObject, condition: ForeignCondition): HealthStatus {
  const { type, reason, message } = condition;
  if (severityOf(object, type) === 'Info') return 'Progressing';
  if (isTelling(condition)) return meaningOfReason(reason) ?? 'Degraded';
  if (message === '') return VERDICTS.includes(type) ? 'Degraded' : 'Progressing';
  return UNDER_WAY.test(message) ? 'Progressing' : 'Degraded';
}

function severityOf(object: KubeObject, type: string): string {
  return (
    textAt(
      listAt(object.status, 'conditions').find((item) => textAt(item, 'type') === type),
      'severity',
    ) ?? ''
  );
}

/** How a message tells of work, below whatever reason. */
const UNDER_WAY =
  /^(a?wait|pending|creating|provisioning|reconciling|in progress)|\bnot yet\b|\b(is|are) being\b|\b\d+\/\d+ (pods|replicas|nodes)? ?(are |is )?ready\b/i;

function isBusy({ type, status, reason }: ForeignCondition): boolean {
  return status === 'True' && meaningOfType(type) === 'Busy' && !IDLE.includes(reason);
}

/** Reasons below which nothing is being done: a Deployment keeps `Progressing=True` after its rollout, and Flux tries again what failed. */
const IDLE = [
  'NewReplicaSetAvailable',
  'ProgressingWithRetry',
  'Retrying',
  'Successful',
  'Succeeded',
  'Success',
  'Complete',
  'Completed',
  'Finished',
];

function progressing(condition: ForeignCondition): Health {
  return { status: 'Progressing', message: sentence(condition) };
}

/** By the conditions of parts, by what others say of the object, and by the other fields of the status: the worst counts. */
function partsHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const fields = statusFieldsHealth(object) ?? parentsHealth(object) ?? ancestorsHealth(object);
  if (fields !== undefined && fields.status !== 'Healthy' && fields.status !== 'Unknown') return fields;
  const open = conditions.find((one) => one.status !== 'True' && isExpected(one)) ?? conditions.find(isBusy);
  if (open !== undefined) return progressing(open);
  const part = conditions.find(isExpected);
  // The first of several steps is no end.
  if (part !== undefined && RUN.test(object.kind) && fields === undefined) return progressing(part);
  if (fields?.status === 'Healthy') return fields;
  if (part !== undefined) return { status: 'Healthy', message: sentence(part) };
  return goodNewsHealth(conditions) ?? fields ?? listedHealth(object) ?? silentHealth(object, conditions);
}

/** By good news of any name, such as `Discoverable`, and by faults that are not there. */
function goodNewsHealth(conditions: readonly ForeignCondition[]): Health | undefined {
  const good = conditions.filter(({ type }) => meaningOfType(type) === 'Good');
  const open = good.find(({ status }) => status !== 'True');
  if (open !== undefined) {
    const isBad = open.status === 'False' && isTelling(open) && !isWork(open.reason) && !UNDER_WAY.test(open.message);
    return { status: isBad ? 'Degraded' : 'Progressing', message: sentence(open) };
  }
  const [first] = good;
  return first === undefined ? undefined : { status: 'Healthy', message: sentence(first) };
}

/** Conditions that a list of the status has for each of those that judge the object: `ingress: [{conditions: […]}]`. */
function listedHealth(object: KubeObject): Health | undefined {
  if (!isObject(object.status)) return undefined;
  for (const value of Object.values(object.status).slice(0, MAX_LISTS)) {
    for (const item of listAt(value).slice(0, MAX_LISTS)) {
      if (!Array.isArray(at(item, 'conditions'))) continue;
      const health = genericHealth({ ...object, status: { conditions: at(item, 'conditions') } });
      if (health !== undefined) return health;
    }
  }
  return undefined;
}

const MAX_LISTS = 50;

/** Of an object that says neither good nor bad. */
function silentHealth(object: KubeObject, conditions: readonly ForeignCondition[]): Health | undefined {
  const fault = conditions.find(({ type, status }) => status === 'False' && meaningOfType(type) === 'Negative');
  if (fault !== undefined) return { status: 'Healthy', message: fault.message || `${object.kind} reports no fault` };
  const work = conditions.find(({ type, status }) => status === 'True' && isWork(type));
  if (work !== undefined) return progressing(work);
  return Array.isArray(at(object.status, 'conditions')) && conditions.length === 0 ? UNREPORTED : undefined;
}

/** The controller lists conditions, and has none yet. */
const UNREPORTED: Health = { status: 'Progressing', message: 'Waiting for the controller to report conditions' };
