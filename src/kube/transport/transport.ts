import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { backoffDelay } from '../../domain/core/backoff.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { parseJson as parseExactly, stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { type Call, type Identity, impersonationHeaders } from './call.ts';
import { type Credentials, type CredentialSource, type DispatcherPool, withoutIdentity } from './credentials.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { guardDelegated, IDENTITY_HEADER, isDelegated, writeIdentity } from './delegated-calls.ts';
import { dryRunAgent, guardDryRun } from './dry-run-guard.ts';
import { guardLimits } from './limits-guard.ts';
import { isReset, statusError, unreachable } from './status-error.ts';
import { parseWarnings } from './warnings.ts';
import { currentRequestId } from '../../observe/log.ts';

export interface Answer {
  readonly body: Json;
  readonly warnings: readonly string[];
  readonly etag?: string;
  /** What the call knows still holds (304); there is no body. */
  readonly unchanged?: true;
}

export interface Transport {
  /** @throws AppError as `Cluster` tells, or the signal's reason when it aborts. */
  request(call: Call): Promise<Answer>;
  /** The body as it comes, for watches: no bound on its whole length or time, but on silence. */
  stream(call: Call): Promise<Dispatcher.ResponseData['body']>;
  /** Makes a call for another process, and gives the answer as it is, whatever its status. @throws AppError `Forbidden` for what is not delegated. */
  forward(call: Call): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** An answer of the api-server as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The controller that makes the calls for which this process has no permission: see `isDelegated`. */
export interface Delegate {
  readonly url: URL;
  /** The token by which it knows this process. */
  readonly token: () => Promise<string>;
}

/** The transport under one identity. */
export interface Caller {
  readonly transport: Transport;
  readonly identity: Identity;
}

/** The tokens of people, where calls carry them in place of impersonation. */
export interface UserTokens {
  /** Undefined when the actor has none that counts now. */
  tokenOf(actor: Actor): string | undefined;
}

export interface TransportOptions {
  readonly credentials: CredentialSource;
  readonly pool: DispatcherPool;
  /** Absent: people are impersonated. */
  readonly people?: { readonly tokens: UserTokens; readonly pool: DispatcherPool };
  /** Absent: this process makes all calls itself. */
  readonly delegate?: Delegate & { readonly pool: DispatcherPool };
  readonly userAgent: string;
  /** Milliseconds that somebody who only reads waits for an answer to begin; default 10 s. */
  readonly readerPatience?: number;
  /** Is called with each answer, and with the status 0 of each call that none came to. */
  readonly observe?: (answer: { readonly method: string; readonly path: string; readonly status: number }, seconds: number) => void;
  readonly random?: () => number;
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The api-server's own bound is a minute; then it answers 504 itself. */
const WHOLE_CALL_MS = 65_000;
const HEADERS_MS = 62_000;

/** People wait for a page; the api-server answers their reads in milliseconds, or is in trouble. */
const READER_HEADERS_MS = 10_000;
const SILENT_BODY_MS = 30_000;

/** Watches are ended by the api-server after five minutes (see watch.ts). */
const SILENT_WATCH_MS = 330_000;
const ATTEMPTS = 4;
const BACKOFF = { first: 100, longest: 2_000 };
const MAX_WAIT_MS = 10_000;

/** The one guarded way to the api-server. */
export function createTransport(options: TransportOptions): Transport {
  return {
    request: (call) => withRetries(options, call, () => requestOnce(options, call)),
    stream: (call) => withRetries(options, call, () => streamOnce(options, call)),
    forward: async (call) => await forward(options, call),
    close: async () => {
      const { pool, people, delegate } = options;
      await Promise.all([pool.close(), people?.pool.close(), delegate?.pool.close()]);
    },
  };
}

async function withRetries<T>(options: TransportOptions, call: Call, attempt: () => Promise<T>): Promise<T> {
  const { random = Math.random, wait = defaultWait } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      call.signal?.throwIfAborted();
      const delay = call.method === 'GET' ? retryDelay(error, failures, random()) : undefined;
      if (delay === undefined) throw error;
      await wait(delay, call.signal);
    }
  }
}

async function requestOnce(options: TransportOptions, call: Call): Promise<Answer> {
  const bound = new AbortController();
  const timer = setTimeout(() => bound.abort(new DOMException(`no answer within ${WHOLE_CALL_MS} ms`, 'TimeoutError')), WHOLE_CALL_MS);
  try {
    return await requestWithin(options, call, call.signal === undefined ? bound.signal : AbortSignal.any([call.signal, bound.signal]));
  } finally {
    // A signal of `AbortSignal.timeout` would be in memory for the whole time, with all that waited for it.
    clearTimeout(timer);
  }
}

async function requestWithin(options: TransportOptions, call: Call, signal: AbortSignal): Promise<Answer> {
  const response = await send(options, call, { signal, bodyTimeout: SILENT_BODY_MS });
  const text = await guarded(call, () => readText(response.body));
  if (response.statusCode >= 400) throw statusError(call, response, text);
  const warnings = parseWarnings(response.headers['warning']);
  if (response.statusCode === 304) return { body: null, warnings, unchanged: true };
  const { etag } = response.headers;
  return { body: call.parse === 'text' ? text : parseJson(call, text), warnings, ...(typeof etag === 'string' ? { etag } : {}) };
}

async function forward(options: TransportOptions, call: Call): Promise<RawAnswer> {
  guardDelegated(call);
  const response = await send(options, call, { signal: call.signal, bodyTimeout: SILENT_BODY_MS });
  const text = await guarded(call, () => readText(response.body));
  const headers = PASSED_ON.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return { status: response.statusCode, headers: Object.fromEntries(headers), text: withoutLastApplied(text) };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl keeps whole objects in an annotation, values of Secrets included, and annotations are metadata. */
function withoutLastApplied(text: string): string {
  if (!text.includes(LAST_APPLIED)) return text;
  return stringifyJson(withoutKey(parseExactly(text)));
}

function withoutKey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKey);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => key !== LAST_APPLIED);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutKey(member)]));
}

/** Several warnings are one list, as in any header. */
const PASSED_ON = ['content-type', 'warning', 'retry-after'];

async function streamOnce(options: TransportOptions, call: Call): Promise<Dispatcher.ResponseData['body']> {
  const response = await send(options, call, { signal: call.signal, bodyTimeout: SILENT_WATCH_MS });
  if (response.statusCode >= 400) throw statusError(call, response, await guarded(call, () => readText(response.body)));
  return response.body;
}

/** Sends once; a 401 means that our credentials have been replaced, so they are read again, once. */
async function send(options: TransportOptions, call: Call, bounds: Bounds): Promise<Dispatcher.ResponseData> {
  const impersonation = impersonationHeaders(call.identity);
  guardDryRun(call);
  guardLimits(call);
  if (options.delegate !== undefined && isDelegated(call)) return await sendDelegated(options, options.delegate, { call, bounds });
  if (options.people !== undefined && call.identity.kind === 'actor') {
    return await sendAsPerson(options, options.people, { call, actor: call.identity.actor, bounds });
  }
  const dispatch = async (): Promise<Dispatcher.ResponseData> => {
    const credentials = await options.credentials.current();
    const headers = { ...headersOf(options, call, credentials.authorization), ...impersonation };
    return observed(options, call, () => dispatchCall(options, call, { credentials, pool: options.pool, headers, ...bounds }));
  };
  const first = await dispatch();
  if (first.statusCode !== 401) return first;
  await first.body.dump();
  options.credentials.forget();
  return dispatch();
}

/** @throws AppError `ClusterUnavailable` when the controller does not know this process. */
async function sendDelegated(
  options: TransportOptions,
  { url, token, pool }: NonNullable<TransportOptions['delegate']>,
  { call, bounds }: Omit<PersonCall, 'actor'>,
): Promise<Dispatcher.ResponseData> {
  const credentials = { server: new URL(DELEGATED_PATH, url), authorization: undefined, tls: {}, proxy: undefined };
  const headers = { ...headersOf(options, call, `Bearer ${await token()}`), [IDENTITY_HEADER]: writeIdentity(call.identity) };
  const response = await guarded(call, () => dispatchCall(options, call, { credentials, pool, headers, ...bounds }));
  if (response.statusCode !== 401) return response;
  await response.body.dump();
  const why = 'the controller does not know the account of this process; check --web-account of the controller and --controller-token-file';
  throw new AppError('ClusterUnavailable', `${call.what}: ${why}`);
}

/** Where a controller takes delegated calls; the path of the api-server comes after it. */
export const DELEGATED_PATH = '/delegated-calls';

interface PersonCall {
  readonly call: Call;
  readonly actor: Actor;
  readonly bounds: Bounds;
}

/**
 * Sends with the person's own token, and nothing of ours: the api-server looks at a client certificate before it looks at a token.
 *
 * @throws AppError `Unauthenticated` when there is no token, or the api-server does not take it.
 */
async function sendAsPerson(
  options: TransportOptions,
  { tokens, pool }: NonNullable<TransportOptions['people']>,
  { call, actor, bounds }: PersonCall,
): Promise<Dispatcher.ResponseData> {
  const token = tokens.tokenOf(actor);
  if (token === undefined)
    throw new AppError('Unauthenticated', `${call.what}: the token of ${actor.user} is over or not here; sign in again`);
  const credentials = withoutIdentity(await options.credentials.current());
  const headers = headersOf(options, call, `Bearer ${token}`);
  const response = await observed(options, call, () => dispatchCall(options, call, { credentials, pool, headers, ...bounds }));
  if (response.statusCode !== 401) return response;
  await response.body.dump();
  const why = 'the api-server does not accept your token: sign in again, and have an admin check that it trusts the identity provider';
  throw new AppError('Unauthenticated', `${call.what}: ${why}`);
}

async function observed(
  { observe }: TransportOptions,
  call: Call,
  dispatch: () => Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  try {
    const response = await guarded(call, dispatch);
    observe?.({ method: call.method, path: call.path, status: response.statusCode }, seconds());
    return response;
  } catch (error) {
    // Who gave up a call learnt nothing about the api-server.
    if (call.signal?.aborted !== true) observe?.({ method: call.method, path: call.path, status: 0 }, seconds());
    throw error;
  }
}

interface Bounds {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds of silence within the body. */
  readonly bodyTimeout: number;
}

interface Prepared extends Bounds {
  readonly credentials: Credentials;
  readonly pool: DispatcherPool;
  readonly headers: Record<string, string>;
}

async function dispatchCall(options: TransportOptions, call: Call, prepared: Prepared): Promise<Dispatcher.ResponseData> {
  const { server } = prepared.credentials;
  const dispatcher = prepared.pool.for(prepared.credentials);
  const request: Dispatcher.RequestOptions = {
    origin: server.origin,
    path: `${server.pathname.replace(/\/$/, '')}${call.path}`,
    method: call.method,
    headers: prepared.headers,
    body: call.body === undefined ? null : stringifyJson(call.body),
    headersTimeout: isReading(call) ? (options.readerPatience ?? READER_HEADERS_MS) : HEADERS_MS,
    bodyTimeout: prepared.bodyTimeout,
    signal: prepared.signal ?? null,
  };
  try {
    return await dispatcher.request(request);
  } catch (error) {
    if (prepared.signal?.aborted !== true) prepared.pool.giveUp(dispatcher);
    throw error;
  }
}

/** Whether a person reads or asks about permissions. A write may wait for slow webhooks, and giving up on it would leave open whether it was done. */
function isReading({ identity, method, path }: Call): boolean {
  return (
    identity.kind !== 'controller' &&
    identity.kind !== 'serviceAccount' &&
    (method === 'GET' || path.startsWith('/apis/authorization.k8s.io/'))
  );
}

function headersOf(options: TransportOptions, call: Call, authorization: string | undefined): Record<string, string> {
  return {
    accept: call.accept ?? 'application/json',
    ...auditId(),
    'user-agent': call.identity.kind === 'dryRun' ? dryRunAgent(options.userAgent, call.identity.actor) : options.userAgent,
    ...(call.ifNoneMatch === undefined ? {} : { 'if-none-match': call.ifNoneMatch }),
    ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/** The api-server takes the id of the request over into its audit log; it is at most 64 characters long (`givenId`). */
function auditId(): Record<string, string> {
  const id = currentRequestId();
  return id === undefined ? {} : { 'audit-id': id };
}

/** Turns what undici throws into `ClusterUnavailable`; an abort by the caller stays what it is. */
async function guarded<T>(call: Call, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    call.signal?.throwIfAborted();
    throw isAppError(error) ? error : unreachable(call.what, error);
  }
}

function parseJson(call: Call, text: string): Json {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new AppError('ClusterUnavailable', `${call.what}: the answer is not JSON; is this a Kubernetes api-server?`, { cause: error });
  }
}

async function defaultWait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/**
 * How long to wait before a read is tried again; undefined when it should not be. Only answers that say "later" (429 and 503, which carry
 * `retryAfter`) and connections that broke in use are worth another try; a wait of more than ten seconds is for the caller to decide.
 *
 * @param failures attempts that have failed, 1 or more.
 * @returns milliseconds.
 */
function retryDelay(error: unknown, failures: number, random: number): number | undefined {
  if (failures >= ATTEMPTS || !(error instanceof AppError)) return undefined;
  const backoff = backoffDelay(failures, BACKOFF, random);
  if (error.retryAfter === undefined) return isReset(error) ? backoff : undefined;
  const asked = error.retryAfter * 1_000;
  return asked > MAX_WAIT_MS ? undefined : Math.max(asked, backoff);
}

/** Lists come in pages of 500; the largest page of CRDs measured is a tenth of this. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The whole body as text. @throws AppError `TooLarge` beyond the limit. */
async function readText(body: AsyncIterable<Buffer>, limit = MAX_BODY_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new AppError('TooLarge', `cluster: the answer is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The lines of a body as they come, without their ends; a last line without an end is cut off and left out. */
export async function* readLines(body: AsyncIterable<Buffer>, limit = MAX_LINE_BYTES): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8');
      pending = [];
      size = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    size += rest.length;
    if (size > limit) throw new AppError('TooLarge', `cluster: a line of the watch is larger than ${limit} bytes`);
    if (rest.length > 0) pending.push(rest);
  }
}
