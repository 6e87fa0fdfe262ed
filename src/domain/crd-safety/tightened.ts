import { isDeepStrictEqual } from 'node:util';
import { isObject, listAt, numberAt, textAt } from '../read.ts';
import type { CrdFinding } from './finding.ts';

type Change = Omit<CrdFinding, 'path'>;

const LOWER = {
  minimum: 'minimum',
  minLength: 'shortest length',
  minItems: 'least number of items',
  minProperties: 'least number of members',
} as const;
const UPPER = {
  maximum: 'maximum',
  maxLength: 'longest length',
  maxItems: 'greatest number of items',
  maxProperties: 'greatest number of members',
} as const;
/** Formats that the api-server does not check, or that every value of the type has. */
const LOOSE_FORMATS = new Set(['int64', 'double', 'float', 'password']);

/** How a node of a schema allows less than before, its children aside. */
export function tightened(live: unknown, candidate: unknown): Change[] {
  return [
    ...bounds(live, candidate),
    ...enumeration(live, candidate),
    ...texts(live, candidate),
    ...marks(live, candidate),
    ...conditions(live, candidate),
  ];
}

function bounds(live: unknown, candidate: unknown): Change[] {
  const lower = Object.entries(LOWER).flatMap(([keyword, word]) => raised(live, candidate, { keyword, word, sign: 1 }));
  const upper = Object.entries(UPPER).flatMap(([keyword, word]) => raised(live, candidate, { keyword, word, sign: -1 }));
  const exclusive = ['exclusiveMinimum', 'exclusiveMaximum'].filter((keyword) => isTrue(candidate, keyword) && !isTrue(live, keyword));
  const step = numberAt(candidate, 'multipleOf');
  const before = numberAt(live, 'multipleOf');
  const stepped =
    step !== undefined && (before === undefined || before % step !== 0) ? [unsafe(`only multiples of ${step} are allowed now`)] : [];
  return [...lower, ...upper, ...exclusive.map((keyword) => unsafe(`the bound itself is not allowed any more (${keyword})`)), ...stepped];
}

interface Bound {
  readonly keyword: string;
  readonly word: string;
  /** 1 when a greater number allows less, -1 when a smaller one does. */
  readonly sign: 1 | -1;
}

function raised(live: unknown, candidate: unknown, { keyword, word, sign }: Bound): Change[] {
  const [before, after] = [numberAt(live, keyword), numberAt(candidate, keyword)];
  if (after === undefined || (before !== undefined && (after - before) * sign <= 0)) return [];
  const moves = sign === 1 ? 'rises' : 'falls';
  return [unsafe(before === undefined ? `there is a ${word} now: ${after}` : `the ${word} ${moves} from ${before} to ${after}`)];
}

function enumeration(live: unknown, candidate: unknown): Change[] {
  const [before, after] = [listAt(live, 'enum'), listAt(candidate, 'enum')];
  if (after.length === 0) return [];
  const shown = (values: readonly unknown[]): string =>
    values
      .slice(0, 10)
      .map((value) => JSON.stringify(value))
      .join(', ');
  if (before.length === 0) return [unsafe(`only ${shown(after)} are allowed now`)];
  const lost = before.filter((value) => !after.some((other) => isDeepStrictEqual(value, other)));
  return lost.length === 0 ? [] : [unsafe(`${shown(lost)} ${lost.length === 1 ? 'is' : 'are'} not allowed any more`)];
}

function texts(live: unknown, candidate: unknown): Change[] {
  const changes: Change[] = [];
  const pattern = textAt(candidate, 'pattern');
  if (pattern !== undefined && pattern !== textAt(live, 'pattern')) changes.push(unsafe(`it must match the pattern ${pattern} now`));
  const format = textAt(candidate, 'format');
  if (format !== undefined && format !== textAt(live, 'format') && !LOOSE_FORMATS.has(format))
    changes.push(unsafe(`it must have the format ${format} now`));
  return changes;
}

function marks(live: unknown, candidate: unknown): Change[] {
  const changes: Change[] = [];
  if (isTrue(live, 'nullable') && !isTrue(candidate, 'nullable')) changes.push(unsafe('null is not allowed any more'));
  const kind = textAt(candidate, 'x-kubernetes-list-type');
  const isStricter = (kind === 'set' || kind === 'map') && kind !== textAt(live, 'x-kubernetes-list-type');
  if (isStricter) changes.push(unsafe(`the list is a ${kind} now, so its entries must differ`));
  return changes;
}

/** What cannot be compared by looking at it; stored instances are checked against it all the same, rules in CEL aside. */
function conditions(live: unknown, candidate: unknown): Change[] {
  const junctors = ['allOf', 'anyOf', 'oneOf', 'not'].filter((junctor) => isChanged(live, candidate, junctor));
  const known = new Set(listAt(live, 'x-kubernetes-validations').map((rule) => textAt(rule, 'rule')));
  const rules = listAt(candidate, 'x-kubernetes-validations').filter((rule) => !known.has(textAt(rule, 'rule')));
  return [
    ...junctors.map((junctor) => notice(`its conditions changed (${junctor})`)),
    ...rules.map((rule) => notice(`there is a new rule: ${textAt(rule, 'message') ?? textAt(rule, 'rule') ?? ''}`)),
  ];
}

function isChanged(live: unknown, candidate: unknown, member: string): boolean {
  const [before, after] = [live, candidate].map((schema) => (isObject(schema) ? schema[member] : undefined));
  return after !== undefined && !isDeepStrictEqual(before, after);
}

function isTrue(schema: unknown, member: string): boolean {
  return isObject(schema) && schema[member] === true;
}

function unsafe(what: string): Change {
  return { what, severity: 'Unsafe' };
}

function notice(what: string): Change {
  return { what, severity: 'Notice' };
}
