import { at, isObject, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { countsHealth } from './counts.ts';
import { errorIn, messageIn } from './status-texts.ts';
import { meaningOfPhase, RUN } from './state-words.ts';

/** The health that the status says outside its conditions: in a phase, in a boolean, in an error, in counts; undefined when in none of them. */
export function statusFieldsHealth(object: KubeObject): Health | undefined {
  const phase = phaseHealth(object);
  if (phase !== undefined && phase.status !== 'Healthy') return phase;
  const others = [pauseHealth(object), flagHealth(object), countsHealth(object)];
  return (
    others.find((one) => one !== undefined && one.status !== 'Healthy') ??
    phase ??
    others.find((one) => one !== undefined) ??
    unclearPhase(object)
  );
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

/** A word for an object, or for a part of it. */
interface Found {
  readonly word: string;
  /** Where its controller says more about it. */
  readonly group: unknown;
  readonly status: HealthStatus;
}

function phaseHealth({ kind, status }: KubeObject): Health | undefined {
  const named = read(
    kind,
    PHASES.map((path) => ({ word: textAt(status, ...path) ?? '', group: at(status, ...path.slice(0, -1)) })),
  );
  const others = read(kind, otherPhases(status));
  const parts = read(kind, partPhases(status));
  const found = decisive(named, others) ?? worst(parts);
  if (found === undefined) return undefined;
  // A phase says that the controller is done, and another field or a part what came of it.
  const bad = found.status === 'Healthy' ? [...named, ...others, ...parts].find(({ status: one }) => one === 'Degraded') : undefined;
  return healthOfWord(status, bad ?? found);
}

/** The most common field counts; of those with names of their own, the worst. */
function decisive([first]: readonly Found[], others: readonly Found[]): Found | undefined {
  return first ?? worst(others);
}

const BY_WEIGHT: readonly HealthStatus[] = ['Degraded', 'Missing', 'Suspended', 'Unknown', 'Progressing', 'Healthy'];

function worst(found: readonly Found[]): Found | undefined {
  return found.toSorted((a, b) => BY_WEIGHT.indexOf(a.status) - BY_WEIGHT.indexOf(b.status))[0];
}

function read(kind: string, words: readonly Pick<Found, 'word' | 'group'>[]): Found[] {
  return words.flatMap(({ word, group }) => {
    const status = word === '' ? undefined : meaningOfPhase(word, kind);
    return status === undefined ? [] : [{ word, group, status }];
  });
}

function healthOfWord(status: unknown, { word, group, status: meaning }: Found): Health {
  const said = messageIn(group) || (group === status ? '' : messageIn(status));
  const error = meaning === 'Degraded' ? (errorIn(group) ?? errorIn(status)) : undefined;
  return { status: meaning, message: said || error || word };
}

/** Members such as `PostgresClusterStatus`; what speaks of the past or of a wish is left aside. */
const WORD = /(phase|state|status|health|result|verdict|outcome|robustness|conclusion|operatorprogress)$/i;
const NO_WORD = /^(last(?!Operation|ObservedState)|previous|desired|target|old|http)/i;

function otherPhases(status: unknown): Pick<Found, 'word' | 'group'>[] {
  if (!isObject(status)) return [];
  return Object.entries(status)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, value]) =>
      typeof value === 'string' && WORD.test(name) && !NO_WORD.test(name) ? [{ word: value, group: status }] : [],
    );
}

/** The words for parts, one level below: `cluster.status`, `connectionState.lastObservedState`, and those of lists of tasks. */
function partPhases(status: unknown): Pick<Found, 'word' | 'group'>[] {
  if (!isObject(status)) return [];
  return Object.entries(status)
    .slice(0, MAX_FIELDS)
    .filter(([name, value]) => isObject(value) && !NO_PART.test(name))
    .flatMap(([, value]) => [...otherPhases(value), ...listAt(value, 'tasks').slice(0, MAX_FIELDS).flatMap(otherPhases)]);
}

/** What tells of the past, of a wish, or of something else than the object. */
const NO_PART = /^(last(?!Operation)|previous|desired|target|old|history|spec|executor)/i;

const MAX_FIELDS = 100;

/** A word that nobody knows: what runs once is not done, and of all else nothing can be said. */
function unclearPhase({ kind, status }: KubeObject): Health | undefined {
  const [field = '', word = ''] =
    ['phase', 'state'].map((name) => [name, textAt(status, name) ?? '']).find(([, text]) => text !== '') ?? [];
  if (word === '') return undefined;
  return { status: RUN.test(kind) ? 'Progressing' : 'Unknown', message: messageIn(status) || `The ${field} is ${word}` };
}

/** Its controller, or somebody through it, has stopped for a while. */
function pauseHealth({ kind, status }: KubeObject): Health | undefined {
  if (!isObject(status)) return undefined;
  const isPaused = Object.entries(status)
    .slice(0, MAX_FIELDS)
    .some(([name, value]) => value === true && /(pause|paused|suspend|suspended|halted|hibernated)$/i.test(name));
  return isPaused ? { status: 'Suspended', message: messageIn(status) || `${kind} is paused` } : undefined;
}

/** What it means that a field of the status is true, and that it is false. */
const FLAGS: readonly (readonly [field: string, whenTrue: HealthStatus | undefined, whenFalse: HealthStatus | undefined])[] = [
  ['failed', 'Degraded', undefined],
  ['healthy', 'Healthy', 'Degraded'],
  ['valid', 'Healthy', 'Degraded'],
  ['finished', undefined, 'Progressing'],
  ['successful', 'Healthy', 'Degraded'],
  ['success', 'Healthy', 'Degraded'],
  ['ready', 'Healthy', 'Progressing'],
  ['readyToUse', 'Healthy', 'Progressing'],
  ['available', 'Healthy', 'Progressing'],
  ['applied', 'Healthy', 'Progressing'],
  ['synced', 'Healthy', 'Progressing'],
  ['reconciled', 'Healthy', 'Progressing'],
  ['registered', 'Healthy', 'Progressing'],
  ['connected', 'Healthy', 'Progressing'],
  ['created', 'Healthy', 'Progressing'],
  ['deployed', 'Healthy', 'Progressing'],
];

function flagHealth({ kind, status }: KubeObject): Health | undefined {
  const error = errorIn(status);
  if (error !== undefined) return { status: 'Degraded', message: error };
  for (const [field, whenTrue, whenFalse] of FLAGS) {
    const flag = flagOf(at(status, field));
    const meaning = flag === undefined ? undefined : flag ? whenTrue : whenFalse;
    if (meaning === undefined) continue;
    const plain = `${kind} is ${flag === true ? '' : 'not '}${field === 'readyToUse' ? 'ready to use' : field}`;
    const said = flag === true ? '' : messageIn(status);
    // What is not so and says why, waits for somebody.
    const isExplained = said !== '' && meaning === 'Progressing' && meaningOfPhase(textAt(status, 'reason') ?? '', kind) !== 'Progressing';
    return { status: isExplained ? statusOfText(said) : meaning, message: said || plain };
  }
  const code = numberAt(status, 'code');
  const message = textAt(status, 'message') ?? '';
  return code !== undefined && code !== 0 && message !== '' ? { status: 'Degraded', message } : undefined;
}

function statusOfText(text: string): HealthStatus {
  return /\bnot yet\b|\b(is|are) being\b|^(a?wait|pending|creating|provisioning|reconciling|in progress)/i.test(text)
    ? 'Progressing'
    : 'Degraded';
}

/** Some write a boolean as a text. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'True' || value === 'true') return true;
  return value === false || value === 'False' || value === 'false' ? false : undefined;
}
