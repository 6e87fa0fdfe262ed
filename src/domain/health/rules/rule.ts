import { at, isObject, numberAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health, HealthStatus } from '../health.ts';
import { conditionsIn, type ForeignCondition } from './conditions.ts';

/** Rules by `group/Kind` (`v1/Kind` for the core group). Either side may be `*`, and the group may begin with `*.`; the most exact key counts. */
export type HealthRules = Readonly<Record<string, HealthRule>>;

/** The lines of a rule, in order: the first one that applies gives the health. Where none applies, the generic rule does. */
export type HealthRule = readonly HealthLine[];

/** One line of a rule; a function of its own where the vocabulary below does not suffice. */
export type HealthLine = (object: KubeObject) => Health | undefined;

/** A state that an object may be in: the text that belongs to it (which may be empty), or undefined when the object is not in that state. */
export type Finding = (object: KubeObject) => string | undefined;

/**
 * The message of a line: a text in which `{}` stands for the text found and `{status.replicas}` or `{status.replicas|0}` for a field of the object, or for what
 * follows the bar where that is missing or empty. A function where that does not suffice. Without one, the text found is the message.
 */
type Wording = string | ((found: string, object: KubeObject) => string);

export const healthy = lineFor('Healthy');
export const progressing = lineFor('Progressing');
export const degraded = lineFor('Degraded');
export const suspended = lineFor('Suspended');
export const missing = lineFor('Missing');
export const unknown = lineFor('Unknown');

/** @param lacks what objects in this state do without. */
export function lineFor(status: HealthStatus, lacks?: Health['lacks']): (finding: Finding, wording?: Wording) => HealthLine {
  const lacking = lacks === undefined ? {} : { lacks };
  return (finding, wording = '{}') => {
    const word = typeof wording === 'function' ? wording : template(wording);
    return (object) => {
      const found = finding(object);
      return found === undefined ? undefined : { status, message: word(found, object), ...lacking };
    };
  };
}

/** Splits the text once; what is filled in is never looked at again. */
function template(text: string): (found: string, object: unknown) => string {
  const parts = text.split(/\{([^{}]*)\}/).map((part, index) => (index % 2 === 0 ? () => part : filler(part)));
  return (found, object) => parts.map((part) => part(found, object)).join('');
}

function filler(inner: string): (found: string, object: unknown) => string {
  const [path = '', fallback = ''] = inner.split('|');
  if (path === '') return (found) => found || fallback;
  const steps = stepsOf(path);
  return (_, object) => scalarAt(object, steps) || fallback;
}

type OneOrMore<T> = T | readonly T[];

/** What a condition is chosen by: `*` as the type stands for any, an absent reason for every reason. */
type Choice = readonly [type: OneOrMore<string>, status?: OneOrMore<string>, reason?: OneOrMore<string>];

/** The first condition that is so (`True` unless said otherwise); its message. */
export function condition(...choice: Choice): Finding {
  return conditionAt('status.conditions', 'message', choice);
}

/** The same; its reason. */
export function reasonOf(...choice: Choice): Finding {
  return conditionAt('status.conditions', 'reason', choice);
}

/** The same, with a text of its own, in which `{reason}` and the like are members of the condition. */
export function conditionAs(wording: string, ...choice: Choice): Finding {
  const word = template(wording);
  return (object) => {
    const found = chosen(conditionsIn(at(object, 'status', 'conditions')), choice);
    return found === undefined ? undefined : word('', found);
  };
}

/** The same in a list that lies elsewhere, and with the member that is its text. */
export function conditionAt(path: string, text: 'type' | 'reason' | 'message', choice: Choice): Finding {
  const steps = stepsOf(path);
  return (object) => chosen(conditionsIn(at(object, ...steps)), choice)?.[text];
}

/** A condition that was observed for an older generation than the object has, whatever its status. */
export function conditionOutdated(type: OneOrMore<string>): Finding {
  return (object) => {
    const generation = numberAt(object, 'metadata', 'generation') ?? 0;
    const conditions = conditionsIn(at(object, 'status', 'conditions')).filter((item) => isChosen(item, [type, '*']));
    return conditions.some(({ observedGeneration = generation }) => observedGeneration < generation) ? '' : undefined;
  };
}

function chosen(conditions: readonly ForeignCondition[], choice: Choice): ForeignCondition | undefined {
  return conditions.find((item) => isChosen(item, choice));
}

function isChosen(item: ForeignCondition, [type, status = 'True', reason]: Choice): boolean {
  return (
    (type === '*' || includes(type, item.type)) &&
    (status === '*' || includes(status, item.status)) &&
    (reason === undefined || includes(reason, item.reason))
  );
}

function includes(wanted: OneOrMore<string>, value: string): boolean {
  return typeof wanted === 'string' ? wanted === value : wanted.includes(value);
}

type Scalar = string | number | boolean;

/** Where a field lies: `status.phase`, or a list of steps where one of them has a dot in it. */
type Path = string | readonly string[];

/** A field with one of the values, or with any text, number or boolean where none is given; the value as text. */
export function field(path: Path, ...values: readonly Scalar[]): Finding {
  const steps = stepsOf(path);
  return (object) => {
    const value = at(object, ...steps);
    return isScalar(value) && (values.length === 0 || values.includes(value)) ? String(value) : undefined;
  };
}

/** A field that is there, whatever it holds. */
export function present(path: Path): Finding {
  const steps = stepsOf(path);
  return (object) => ((at(object, ...steps) ?? undefined) === undefined ? undefined : '');
}

/** A field that is not there, or null. */
export function absent(path: Path): Finding {
  return not(present(path));
}

/** An object of which its controller has said nothing yet. */
export const unreported: Finding = ({ status }) => (status === undefined || status === null || isEmpty(status) ? '' : undefined);

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** A status that was observed for an older generation than the object has. */
export function outdated(path = 'status.observedGeneration'): Finding {
  const steps = stepsOf(path);
  return (object) => {
    const observed = numberAt(object, ...steps);
    const generation = numberAt(object, 'metadata', 'generation');
    return observed !== undefined && generation !== undefined && observed < generation ? '' : undefined;
  };
}

/** A number below another one, such as ready replicas below wanted ones; an absent number counts as zero. */
export function fewer(path: string, than: string): Finding {
  const [steps, others] = [stepsOf(path), stepsOf(than)];
  return (object) => ((numberAt(object, ...steps) ?? 0) < (numberAt(object, ...others) ?? 0) ? '' : undefined);
}

/** Two fields with the same text, number or boolean. */
export function same(path: string, other: string): Finding {
  const [one, two] = [field(path), field(other)];
  return (object) => (one(object) === two(object) ? '' : undefined);
}

/** Stands first in a rule that says itself how a deletion goes; of all other kinds, an object that is being deleted is Progressing. */
export const evenWhenDeleted: HealthLine = () => undefined;

/** An object that is being deleted. */
export const deleted: Finding = present('metadata.deletionTimestamp');

/** Every object: for the last line of a rule. */
export const otherwise: Finding = () => '';

/** All of the findings; the text of the first. */
export function all(...findings: readonly [Finding, ...Finding[]]): Finding {
  const [first] = findings;
  return (object) => (findings.every((finding) => finding(object) !== undefined) ? first(object) : undefined);
}

/** One of the findings; the text of the first that holds. */
export function either(...findings: readonly Finding[]): Finding {
  return (object) => {
    for (const finding of findings) {
      const found = finding(object);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

export function not(finding: Finding): Finding {
  return (object) => (finding(object) === undefined ? '' : undefined);
}

function stepsOf(path: Path): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path;
}

function scalarAt(value: unknown, steps: readonly string[]): string {
  const found = at(value, ...steps);
  return isScalar(found) ? String(found) : '';
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
