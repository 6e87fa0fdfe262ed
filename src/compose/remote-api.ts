import { readFile } from 'node:fs/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { findRoute } from '../api/call-route.ts';
import { mediaTypesOf } from '../api/route.ts';
import type { Api, ApiRequest } from '../cli/api.ts';
import { ERROR_TABLE } from '../domain/core/error-table.ts';
import { AppError, type ErrorCode, type FieldFault, messageOf, type MissingPermission } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { at, isObject, listAt, textAt } from '../domain/core/read.ts';
import type { Secret } from '../domain/core/secret.ts';
import { RESOURCE_METADATA_PATH } from '../domain/kubectl/cli-client.ts';
import { boundedText, jsonOrUndefined } from '../egress/ask-json.ts';

export interface RemoteApiInput {
  readonly server: string;
  readonly token: Secret;
  /** A file of certificate authorities in PEM. */
  readonly certificateAuthority?: string;
  readonly signal: AbortSignal;
}

const CONNECT_MS = 10_000;
/** Upgrade previews fetch and render charts. */
const ANSWER_MS = 180_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The REST API of a Chandlery server, with a bearer token, which is sent to this origin alone: redirects are not followed. */
export async function openRemoteApi({ server, token, certificateAuthority, signal }: RemoteApiInput): Promise<Api> {
  const origin = serverUrl(server);
  const ca = certificateAuthority === undefined ? {} : { ca: await readFile(certificateAuthority, 'utf8') };
  const dispatcher = new Agent({ connect: { timeout: CONNECT_MS, ...ca }, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  return {
    address: origin,
    call: async (operationId, asked = {}) => await send({ origin, token, dispatcher, signal }, operationId, asked),
    close: async () => await dispatcher.destroy(),
  };
}

/** What a server says to whoever wants to sign in there (RFC 9728). */
export async function readMetadata({ server, certificateAuthority, signal }: Omit<RemoteApiInput, 'token'>): Promise<unknown> {
  const ca = certificateAuthority === undefined ? {} : { ca: await readFile(certificateAuthority, 'utf8') };
  const dispatcher = new Agent({ connect: { timeout: CONNECT_MS, ...ca }, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  try {
    const answer = await request(`${server}${RESOURCE_METADATA_PATH}`, { headers: { accept: 'application/json' }, dispatcher, signal });
    return answered(answer.statusCode, await boundedText(answer.body, MAX_METADATA_BYTES, () => tooLarge(server)), server);
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw new AppError('ServerUnavailable', `${server}: ${messageOf(error)}`, { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

const MAX_METADATA_BYTES = 1024 * 1024;

/**
 * The origin of a server.
 *
 * @throws AppError `ConfigInvalid` for anything else, and for http to another machine, which would show the token to the network.
 */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bad = (why: string): AppError => new AppError('ConfigInvalid', `--server: ${JSON.stringify(text)}: ${why}`);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.username !== '') {
    throw bad('write the URL of the pages without a path, e.g. https://catalogue.example.com');
  }
  if (url.protocol === 'http:' && !LOCAL_HOSTS.includes(url.hostname)) throw bad('use https: http would show the token to the network');
  return url.origin;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

interface Sending {
  readonly origin: string;
  readonly token: Secret;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function send({ origin, token, dispatcher, signal }: Sending, operationId: string, asked: ApiRequest): Promise<unknown> {
  const { route, path } = findRoute(operationId, asked.params);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked.query ?? {})) for (const one of [value].flat()) query.append(name, one);
  const url = `${origin}/api/v1${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  const headers = {
    accept: 'application/json',
    'user-agent': 'chandlery-cli',
    authorization: `Bearer ${token.reveal()}`,
    ...(asked.ifMatch === undefined ? {} : { 'if-match': asked.ifMatch }),
    ...(route.body === undefined ? {} : { 'content-type': mediaTypesOf(route)[0] }),
  };
  const body = route.body === undefined ? {} : { body: stringifyJson(asked.body) };
  const method = route.method.toUpperCase();
  try {
    const answer = await request(url, { method, headers, dispatcher, signal, ...body });
    const text = await boundedText(answer.body, MAX_ANSWER_BYTES, () => tooLarge(origin));
    return answered(answer.statusCode, text, origin);
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw new AppError('ServerUnavailable', `${origin}: ${messageOf(error)}`, { cause: error });
  }
}

function tooLarge(origin: string): AppError {
  return new AppError('ServerUnavailable', `${origin}: the answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`);
}

function answered(status: number, text: string, origin: string): unknown {
  if (text === '' && status < 300) return undefined;
  const body = jsonOrUndefined(text);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const code = Object.keys(ERROR_TABLE).find((one) => one === textAt(body, 'code')) as ErrorCode | undefined;
  if (code === undefined) throw new AppError('ServerUnavailable', `${origin}: it answers ${status}, and not as a Chandlery server does`);
  const missing = at(body, 'missing');
  const faults = listAt(body, 'errors').map(faultOf);
  const message = textAt(body, 'detail') ?? ERROR_TABLE[code].title;
  throw new AppError(code, message, { faults, ...(isObject(missing) ? { missing: missing as unknown as MissingPermission } : {}) });
}

function faultOf(fault: unknown): FieldFault {
  const field = textAt(fault, 'field');
  return { message: textAt(fault, 'detail') ?? '', ...(field === undefined ? {} : { field }) };
}
