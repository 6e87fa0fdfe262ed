import type { Json } from '../kubernetes/resource.ts';

/*
 * Kubernetes keeps whole numbers of 64 bits, and JavaScript rounds those beyond 2^53. Such a number is a `bigint` here, from the text that it is read
 * from to the text that it becomes; every other one is a `number`. What neither can hold to the last digit is rejected where it comes in.
 *
 * JSON.stringify throws on a bigint, so values of resources, charts and forms are written by `stringifyJson`. The types below keep this: JSON.stringify returns
 * a text only for what can hold no bigint.
 */

/** What holds no bigint at any depth. */
type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [key: string]: Plain };

declare const maybeBigint: unique symbol;

declare global {
  interface JSON {
    stringify(value: Plain, replacer?: null, space?: string | number): string;
    /** The value may hold a bigint: use `stringifyJson`. */
    stringify(value: unknown, replacer?: null, space?: string | number): { readonly [maybeBigint]: 'use stringifyJson' };
    /** A member that is written as the text that it is: https://tc39.es/proposal-json-parse-with-source/#sec-json.rawjson */
    rawJSON(text: string): unknown;
  }
}

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?$/;
const WHOLE = /^[+-]?\d+$/;
/** The largest number, written out, has 309 digits; what is much longer is none that anybody means, and takes long to look at. */
const MAX_NUMBER_LENGTH = 400;
/**
 * The shortest number that could be rounded, where JSON can have a number: other texts need no second look, which takes five times as long. Digits within
 * a digest are none.
 */
const LONG_NUMBER = /(?:^|"\s*:|[[,])\s*-?\d[\d.]{15}/;

const LONG_RUN = 16;

/** Whether so many digits and points are in a row anywhere: one of them then stands at a multiple of their number, so that few characters are looked at. */
function hasLongRun(text: string): boolean {
  for (let index = LONG_RUN - 1; index < text.length; index += LONG_RUN) {
    if (!isOfNumber(text.charCodeAt(index))) continue;
    let [first, end] = [index, index + 1];
    while (isOfNumber(text.charCodeAt(first - 1))) first -= 1;
    while (isOfNumber(text.charCodeAt(end))) end += 1;
    if (end - first >= LONG_RUN) return true;
  }
  return false;
}

/** A digit or a point; NaN, for what is beyond the text, is none. */
function isOfNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/** The number that a decimal text stands for, to the last digit; undefined when there is none that the cluster keeps. */
export function exactNumber(text: string): number | bigint | undefined {
  if (text.length > MAX_NUMBER_LENGTH) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (digitsOf(text) === digitsOf(String(value))) return value;
  if (!WHOLE.test(text)) return undefined;
  const whole = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

/** Parses JSON that the cluster or we wrote. @throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): Json {
  if (!hasLongRun(text) || !LONG_NUMBER.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_key, value: unknown, context?: Source) => {
    return typeof value === 'number' && context?.source !== undefined ? (exactNumber(context.source) ?? value) : value;
  }) as Json;
}

/**
 * JSON with whole numbers of 64 bits to their last digit. Without bigints, which is nearly always, it takes no longer than JSON.stringify.
 * @throws TypeError for what JSON cannot hold, such as an object that holds itself.
 */
export function stringifyJson(value: unknown, space?: string | number): string {
  try {
    return (JSON.stringify as Stringify)(value, undefined, space);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return (JSON.stringify as Stringify)(value, writeBigint, space);
  }
}

type Stringify = (value: unknown, replacer?: typeof writeBigint, space?: string | number) => string;

function writeBigint(_key: string, member: unknown): unknown {
  return typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member;
}

/** What a YAML parser read with all whole numbers as bigints: those that a number holds are numbers again, and so are those beyond 64 bits. */
export function narrowIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return exactNumber(String(value)) ?? Number(value);
  if (Array.isArray(value)) return value.map(narrowIntegers);
  if (value === null || typeof value !== 'object') return value;
  // Entries are defined, not assigned, so that a key `__proto__` stays a plain key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, narrowIntegers(member)]));
}

/** A reviver for JSON that strangers wrote: a number that cannot be kept becomes NaN, which JSON has no word for. */
export function reviveExactly(_key: string, value: unknown, context?: Source): unknown {
  return typeof value === 'number' && context?.source !== undefined ? (exactNumber(context.source) ?? Number.NaN) : value;
}

/** What JSON.parse hands to a reviver beside a plain value: the text that it was read from. */
interface Source {
  readonly source?: string;
}

/** The digits that count and the power of ten, so that `1.50e3` and `1500` are the same text. */
function digitsOf(text: string): string | undefined {
  const found = DECIMAL.exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign === '-' ? '-' : ''}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}
