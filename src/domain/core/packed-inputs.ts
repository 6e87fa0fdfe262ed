import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { AppError } from './errors.ts';

export interface HiddenInput {
  readonly name: string;
  readonly value: string;
}

const PACKED = '_packed';
/** Fewer characters are not worth it. */
const WORTH = 8 * 1024;
/** Of what was packed into one form; to unpack it takes a few milliseconds. */
const MAX_BYTES = 2 * 1024 * 1024;
/** As many as a form may have that is not packed. */
const MAX_FIELDS = 10_000;
/** Names of inputs repeat one another, which is found at once; better compression takes ten times as long. */
const FAST = { level: 1 } as const;

/** Hidden inputs that a page only carries on: where they are many, as a single one, compressed. */
export function packInputs(inputs: readonly HiddenInput[]): readonly HiddenInput[] {
  const text = textOf(inputs);
  if (text.length < WORTH || Buffer.byteLength(text) > MAX_BYTES) return inputs;
  return [{ name: PACKED, value: deflateRawSync(text, FAST).toString('base64url') }];
}

/** Hidden inputs as bytes, compressed. */
export function inputsToBytes(inputs: readonly HiddenInput[]): Buffer {
  return deflateRawSync(textOf(inputs), FAST);
}

/** The names and values of such bytes. @throws AppError as `unpackInputs`. */
export function inputsFromBytes(bytes: Uint8Array): readonly (readonly [string, string])[] {
  return pairsIn(inflated(bytes, MAX_BYTES));
}

function textOf(inputs: readonly HiddenInput[]): string {
  return JSON.stringify(inputs.map(({ name, value }) => [name, value]));
}

/**
 * A form as it was before its hidden inputs were packed. The others keep their order and come first.
 *
 * @throws AppError `TooLarge` for more than a form may hold, `MalformedRequest` for what we did not pack.
 */
export function unpackInputs(form: URLSearchParams): URLSearchParams {
  if (!form.has(PACKED)) return form;
  const unpacked = new URLSearchParams(form);
  unpacked.delete(PACKED);
  let left = MAX_BYTES;
  for (const text of form.getAll(PACKED)) {
    const bytes = inflated(Buffer.from(text, 'base64url'), left);
    left -= bytes.length;
    for (const [name, value] of pairsIn(bytes)) unpacked.append(name, value);
    if (unpacked.size > MAX_FIELDS) throw new AppError('TooLarge', `form: it has more than ${MAX_FIELDS} fields. Nothing was written`);
  }
  return unpacked;
}

function inflated(packed: Uint8Array, most: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new AppError('TooLarge', `form: ${PACKED}: it holds more than ${MAX_BYTES / 1024 / 1024} MiB`, { cause });
    throw broken(cause);
  }
}

function pairsIn(bytes: Buffer): readonly (readonly [string, string])[] {
  const pairs = parsed(bytes);
  const isPair = (pair: unknown): pair is [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
  if (!Array.isArray(pairs) || !pairs.every(isPair)) throw broken();
  return pairs;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw broken(cause);
  }
}

function broken(cause?: unknown): AppError {
  return new AppError(
    'MalformedRequest',
    `form: ${PACKED}: it is not what the page held; load the page again`,
    cause === undefined ? {} : { cause },
  );
}
