import { at, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { conditionsOf, sentence, type ForeignCondition } from './conditions.ts';

/**
 * What controllers call the state of an object in a reason, a phase or a state: the first row with a match counts. Something that failed while it was being
 * created failed, so failures stand first.
 */
const WORDS: readonly (readonly [HealthStatus, RegExp])[] = [
  [
    'Degraded',
    /fail|error|exception|invalid|degraded|reject|crash|unhealthy|stalled|evicted|refused|denied|mismatch|warning|lost\b|^(red|offline|dead)$/i,
  ],
  ['Suspended', /suspend|paus|hibernat|stopped/i],
  ['Unknown', /^unknown$/i],
  [
    'Progressing',
    /pending|progress|creat(?!ed)|initiali[sz]|provision(?!ed)|start(?!ed)|wait|notready|install(?!ed)|deploy(?!ed)|reconcil|scaling|updat(?!ed)|upgrad(?!ed)|issuing|schedul|restor(?!ed)|import|clon|running|transfer|bootstrap|delet|terminating|stopping|not ?complete|^(new|init|yellow)/i,
  ],
];

const GOOD =
  /^(ready|running|active|available|healthy|bound|succeeded|success|successful|completed?|done|accepted|compliant|online|green|deployed|established|ok|synced|provisioned|installed|created|started|updated|valid|up|normal)$/i;

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
  'Accepted',
  'Compliant',
  'Successful',
];

/** The same of a part, such as `DatabaseReady`: all of them count where none of the above is there. */
const POSITIVE_PART = /(Ready|Available|Succeeded|Success|Healthy|Applied|Deployed|Synchronized|-available|-ready)$/;
const NEGATIVE = /^(Stalled|Failed|Failure|Degraded|Error|Invalid|NotReady|.*Failed|.*Error|.*Unhealthy)$/;
const BUSY = ['Reconciling', 'Progressing', 'Issuing', 'Running', 'InProgress', 'Updating', 'Installing'];
const SUSPENDED = ['Suspended', 'Paused'];
const PHASES = ['phase', 'state', 'health', 'status', 'currentState', 'overallStatus', 'updateStatus'];

/**
 * The generic rule, after kstatus: an older observed generation is Progressing; `Stalled=True` and its like are Degraded; `Ready=True` and its like are
 * Healthy, `False` is Progressing while something is being done (`Reconciling=True`, `Issuing=True`, or a reason that says so) and Degraded otherwise. Without
 * conditions that we know, the phase or state counts.
 */
export function genericHealth(object: KubeObject): Health | undefined {
  const conditions = conditionsOf(object);
  const holding = conditions.filter(({ status }) => status === 'True');
  const failed = holding.find(({ type }) => NEGATIVE.test(type)) ?? conditions.find(isFailure);
  if (failed !== undefined) return { status: 'Degraded', message: sentence(failed) };
  const suspended = holding.find(({ type }) => SUSPENDED.includes(type));
  if (suspended !== undefined) return { status: 'Suspended', message: sentence(suspended) };
  if (at(object.spec, 'suspend') === true || at(object.spec, 'paused') === true) return { status: 'Suspended', message: 'It is suspended' };
  if (isOutdated(object, numberAt(object.status, 'observedGeneration'))) return OUTDATED;

  const busy = holding.find(({ type }) => BUSY.includes(type));
  const positive = summaryOf(conditions) ?? worstPartOf(conditions);
  if (positive === undefined) return busy === undefined ? phaseHealth(object) : { status: 'Progressing', message: sentence(busy) };
  if (isOutdated(object, positive.observedGeneration)) return OUTDATED;
  if (positive.status === 'True') return { status: 'Healthy', message: sentence(positive) };
  if (busy !== undefined) return { status: 'Progressing', message: sentence(busy) };
  const isOpen = positive.status === 'Unknown' || !POSITIVE.includes(positive.type);
  return { status: isOpen ? 'Progressing' : (meaningOfReason(positive.reason) ?? 'Degraded'), message: sentence(positive) };
}

const OUTDATED: Health = { status: 'Progressing', message: 'The latest change is not taken up yet' };

function isOutdated({ metadata: { generation } }: KubeObject, observed: number | undefined): boolean {
  return observed !== undefined && generation !== undefined && observed < generation;
}

/** A condition that should hold, does not, and names a failure as the reason. */
function isFailure({ type, status, reason }: ForeignCondition): boolean {
  return status !== 'True' && (POSITIVE.includes(type) || POSITIVE_PART.test(type)) && meaningOfReason(reason) === 'Degraded';
}

/** The condition that sums the object up. */
function summaryOf(conditions: readonly ForeignCondition[]): ForeignCondition | undefined {
  return POSITIVE.map((type) => conditions.find((condition) => condition.type === type)).find((found) => found !== undefined);
}

/** Of the conditions about parts, one that does not hold, if any. */
function worstPartOf(conditions: readonly ForeignCondition[]): ForeignCondition | undefined {
  const parts = conditions.filter(({ type }) => POSITIVE_PART.test(type));
  return parts.find(({ status }) => status !== 'True') ?? parts[0];
}

/** The health that a phase or a state says; undefined when it is no word that is known. */
function phaseHealth({ status }: KubeObject): Health | undefined {
  const phase = PHASES.map((field) => textAt(status, field)).find((text) => text !== undefined && text !== '');
  const word = phase === undefined ? undefined : meaningOfPhase(phase);
  if (phase === undefined || word === undefined) return undefined;
  const message = textAt(status, 'message') ?? '';
  return { status: word, message: message === '' ? phase : message };
}

/** What the reason of a condition that does not hold means; undefined when it says neither failure nor work. */
function meaningOfReason(reason: string): HealthStatus | undefined {
  return WORDS.find(([, pattern]) => pattern.test(reason))?.[0];
}

/** What a phase or a state means. */
function meaningOfPhase(phase: string): HealthStatus | undefined {
  return GOOD.test(phase.trim()) ? 'Healthy' : meaningOfReason(phase.trim());
}
