import { at, isObject, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { meaningOfPhase } from './status-words.ts';

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
