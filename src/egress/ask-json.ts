import { type Dispatcher, request } from 'undici';
import { AppError, messageOf } from '../domain/core/errors.ts';

/** What is sent to the JSON API of another host. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  /** Connects by the egress policy. */
  readonly dispatcher: Dispatcher;
  /** Besides those that each request has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface JsonBounds {
  /** For the whole answer, in milliseconds. */
  readonly totalMs: number;
  /** A whole number of MiB. */
  readonly maxBytes: number;
  /** What to do about a larger answer. */
  readonly smaller?: string;
  /** Makes the error of the caller; `why` begins with the host. */
  readonly unavailable: (why: string) => AppError;
}

/** `json` is undefined for an answer that is no JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** Of what a host says of a fault, so much is passed on. */
export const MAX_FAULT = 300;
const HEADERS = { 'user-agent': 'chandlery', accept: 'application/json', 'accept-encoding': 'identity' };
const MIB = 1024 * 1024;

/**
 * Asks a JSON API of another host. Redirects are not followed.
 *
 * @throws what `unavailable` makes, and the AppError of the dispatcher for an address that the egress policy denies.
 */
export async function askJson(url: URL, { headers, ...options }: JsonRequest, bounds: JsonBounds): Promise<JsonAnswer> {
  const { totalMs, maxBytes, smaller, unavailable } = bounds;
  const tooLarge = (): AppError =>
    unavailable(`${url.host}: the answer has more than ${maxBytes / MIB} MiB${smaller === undefined ? '' : `; ${smaller}`}`);
  try {
    const answer = await request(url, { ...options, headers: { ...HEADERS, ...headers }, signal: AbortSignal.timeout(totalMs) });
    return { status: answer.statusCode, json: jsonOrUndefined(await boundedText(answer.body, maxBytes, tooLarge)) };
  } catch (error) {
    throw failureOf(url, error, bounds);
  }
}

/** The text of an answer. @throws what `tooLarge` makes. */
export async function boundedText(body: AsyncIterable<Uint8Array>, maxBytes: number, tooLarge: () => AppError): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Undefined for what is no JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf({ host }: URL, error: unknown, { totalMs, unavailable }: JsonBounds): AppError {
  const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
  if (cause instanceof AppError) return cause;
  if (error instanceof Error && error.name === 'TimeoutError') return unavailable(`${host}: no answer within ${totalMs / 1000} seconds`);
  return unavailable(`${host}: ${messageOf(error).slice(0, MAX_FAULT)}`);
}
