import { AppError } from './errors.ts';
import { reviveExactly } from './exact-json.ts';
import type { Json } from '../kubernetes/resource.ts';

/** How much the JSON of strangers may ask of us. */
export interface JsonBounds {
  /** Objects, lists, texts, numbers and so on, however deep they stand. */
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** As many values as a form has rows. What the cluster can store, 1.5 MiB, is long texts rather than many values, and whatever is done with each of these takes microseconds. */
const JSON_BOUNDS: JsonBounds = { maxValues: 10_000, maxDepth: 100 };

/** A number of fewer characters is kept exactly by any parser, unless it has an exponent. */
const SHORT_NUMBER = 15;
const EXPONENTS = new Set([0x45, 0x65]);
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
const [FIRST_DIGIT, LAST_DIGIT, POINT] = [0x30, 0x39, 0x2e];

/**
 * Reads JSON of strangers: an object or a list, in UTF-8. Its size in values and its depth are found in one pass over the bytes, before anything is
 * made of them, so that the time that it takes is bounded by the number of bytes alone.
 *
 * @throws AppError `MalformedRequest` for what is not such JSON, `TooLarge` for too many values, `InvalidInput` for a number that cannot be kept exactly.
 */
export function parseBoundedJson(bytes: Uint8Array, bounds: JsonBounds = JSON_BOUNDS): Json {
  const { values, depth, numbers } = measure(bytes, bounds);
  if (depth > bounds.maxDepth) throw malformed(`the body is nested more than ${bounds.maxDepth} levels deep`);
  if (values > bounds.maxValues) {
    throw new AppError('TooLarge', `request: the body holds more than ${bounds.maxValues} values: send less at once`);
  }
  const text = textOf(bytes);
  if (!/^\s*[[{]/.test(text)) throw malformed(NOT_JSON);
  try {
    return numbers === 'plain' ? (JSON.parse(text) as Json) : rejectInexact(JSON.parse(text, reviveExactly) as Json);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw malformed(NOT_JSON, cause);
  }
}

const NOT_JSON = 'the body is not valid JSON, or is neither an object nor a list';

interface Measure {
  readonly values: number;
  readonly depth: number;
  /** Whether each number is kept exactly by any parser. */
  readonly numbers: 'plain' | 'long';
}

/** Counts what stands outside of texts, until there is too much. Broken JSON is measured somehow: the parser rejects it. */
function measure(bytes: Uint8Array, { maxValues, maxDepth }: JsonBounds): Measure {
  let [values, open, depth, run] = [1, 0, 0, 0];
  let numbers: Measure['numbers'] = 'plain';
  for (let at = 0; at < bytes.length && values <= maxValues && depth <= maxDepth; at += 1) {
    const byte = bytes[at] ?? 0;
    if (run > SHORT_NUMBER || (run > 0 && EXPONENTS.has(byte))) numbers = 'long';
    run = (byte >= FIRST_DIGIT && byte <= LAST_DIGIT) || byte === POINT ? run + 1 : 0;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      // What stands before the first comma; an empty one counts as if it held something.
      values += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open -= 1;
  }
  return { values, depth, numbers };
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('the body must be UTF-8', cause);
  }
}

function rejectInexact(value: Json): Json {
  const field = inexactIn(value);
  if (field === undefined) return value;
  const message = 'this number is too large, or has more digits than can be kept exactly; send fewer, or text where the schema takes it';
  throw new AppError('InvalidInput', `${field}: ${message}`, { faults: [{ field, message }] });
}

/** Where the first number is that the reviver could not keep: `.spec.users[3]`, or without the dot at the top. */
function inexactIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : '';
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, member] of Object.entries(value)) {
    const below = inexactIn(member);
    if (below === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : key;
    return below === '' || below.startsWith('[') ? `${step}${below}` : `${step}.${below}`;
  }
  return undefined;
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('MalformedRequest', `request: ${message}`, { cause });
}
