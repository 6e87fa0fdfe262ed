import { at, isObject, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';

/** The health that the status says outside its conditions: in a phase, in a boolean, in an error, in replicas; undefined when in none of them. */
export function statusFieldsHealth(object: KubeObject): Health | undefined {
  return phaseHealth(object) ?? flagHealth(object) ?? replicaHealth(object);
}

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
  ['state', 'phase'],
  ['applicationState', 'state'],
  ['currentState', 'currentStateSummary'],
  ['lastOperation', 'state'],
];

function phaseHealth({ kind, status }: KubeObject): Health | undefined {
  const words = [...PHASES.map((path) => textAt(status, ...path) ?? ''), ...otherPhases(status)];
  const known = words.flatMap((word) => {
    const meaning = meaningOfPhase(word, kind);
    return meaning === undefined ? [] : [{ status: meaning, message: word }];
  });
  const [first] = known;
  // A phase says that the controller is done, and another field what came of it.
  const found = first?.status === 'Healthy' ? (known.find((one) => one.status === 'Degraded') ?? first) : first;
  if (found === undefined) return undefined;
  const error = found.status === 'Degraded' ? (errorIn(status) ?? textAt(status, 'validationErrors', 0)) : undefined;
  return { ...found, message: textAt(status, 'message') || reasonIn(status) || error || found.message };
}

/** A reason that is a sentence, as of a Challenge of ACME. */
function reasonIn(status: unknown): string {
  const reason = textAt(status, 'reason') ?? '';
  return reason.includes(' ') ? reason : '';
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

/** What went wrong, in words of the controller. */
function errorIn(status: unknown): string | undefined {
  return [...ERRORS.map((name) => textAt(status, name)), textAt(status, 'error', 'message')].find(
    (text) => !['', 'none'].includes((text ?? '').toLowerCase()),
  );
}

function flagHealth({ kind, status }: KubeObject): Health | undefined {
  const error = errorIn(status);
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
  const wanted = numberAt(spec, 'replicas') ?? numberAt(status, 'replicas') ?? numberAt(status, 'pods');
  const ready = numberAt(status, 'readyReplicas') ?? numberAt(status, 'availableReplicas') ?? numberAt(status, 'readyPods');
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
    /fail|error|exception|invalid|degraded|reject|crash|unhealthy|stalled|evicted|refused|denied|mismatch|conflict|warning|expired|critical|blocked|timed ?out|timeout|exceeded|corrupt|aborted|cancell?ed|abnormal|unrecoverable|outofsync|noncompliant|backoff|lost\b|^(red|offline|dead|down|broken|inactive|unavailable)$/i,
  ],
  ['Suspended', /suspend|paus|hibernat|stopped|halted|disabled|cordoned/i],
  ['Missing', /^(notfound|missing|absent)$/i],
  ['Unknown', /^(unknown|inconclusive)$/i],
  [
    'Progressing',
    /pending|progress|creat(?!ed)|initiali[sz](?!ed)|provision(?!ed)|start(?!ed)|wait|notready|minimumreplicasunavailable|install(?!ed)|deploy(?!ed)|reconcil(?!ed)|scaling|updat(?!ed)|upgrad(?!ed)|issuing|schedul|restor(?!ed)|import(?!ed)|clon(?!ed)|running|transfer|bootstrap|delet|terminating|stopping|queue|prepared|finaliz(?!ed)|building|migrating|resizing|configuring|applying|backing ?up|joining|syncing|recovering|preparing|draining|rolling|rebalancing|not ?complete|^(new|init|yellow)/i,
  ],
];

const GOOD =
  /^(ready|running|active|available|healthy|bound|succeeded|success|successful|successfully|completed?|done|finished|accepted|approved|applied|attached|admitted|compliant|configured|connected|enabled|exists|online|open|runninghealthy|green|deployed|established|initialized|insync|loaded|ok|okay|operational|passed|passing|programmed|provisioned|published|reconciled|registered|resolved|serving|stable|synced|synchronized|installed|imported|created|started|updated|restored|valid|validated|verified|up|uptodate|normal|works)$/i;

/** Kinds whose objects run once: while they run, they are not done. */
export const RUN =
  /(Run|Job|Task|Backup|Restore|Snapshot|Build|Test|Scan|Upload|Download|Experiment|Workflow|Execution|Migration|Operation|Rebalance|Request|Export|Import|Upgrade)$/;

/** What the reason of a condition that does not hold means; undefined when it says neither failure nor work. */
export function meaningOfReason(reason: string): HealthStatus | undefined {
  return WORDS.find(([, pattern]) => pattern.test(reason.slice(0, MAX_LENGTH)))?.[0];
}

/** What a phase or a state of an object of the kind means: `Running` is the end of a server and the middle of a job. */
function meaningOfPhase(phase: string, kind: string): HealthStatus | undefined {
  const word = phase.slice(0, MAX_LENGTH).trim();
  const isGood = GOOD.test(word.replace(/^(state|phase|status)_/i, '').replaceAll(/[\s_-]/g, ''));
  if (!isGood) return meaningOfReason(word.replaceAll('_', ''));
  return /^(running|active|started|accepted)$/i.test(word) && RUN.test(kind) ? 'Progressing' : 'Healthy';
}

/** Of a word; what is longer is a sentence. */
const MAX_LENGTH = 120;
