import type { Readable } from 'node:stream';
import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, buildConnector, request } from 'undici';
import type { Dispatcher } from 'undici';
import { chartError } from './chart-error.ts';
import { egressDenied, guardedLookup } from './egress.ts';
import type { EgressPolicy } from './egress.ts';
import type { ChartLimits } from './limits.ts';
import { locate } from './locate.ts';
import type { Geography, Place } from './locate.ts';
import { networkFailure } from './network-failure.ts';

/** The answer of a server, not yet read. */
export interface RemoteAnswer {
  readonly kind: 'remote';
  readonly body: Readable;
  /** `answered 200 application/gzip`, for messages. */
  readonly answered: string;
  /** What the server says the length is. */
  readonly length: number | undefined;
  /** The answer to a request with validators: what they stand for is still so, and the body is empty. */
  readonly unchanged: boolean;
  readonly validators: Validators;
}

/** What a server calls the bytes that it gave (RFC 9110, section 8.8), in its own words. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A redirect may lead to a mirror, and that may be a folder. */
export type Destination = RemoteAnswer | Extract<Place, { kind: 'folder' }>;

export interface RemoteContext {
  readonly geography: Geography;
  readonly policy: EgressPolicy;
  readonly limits: ChartLimits;
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

type RemotePlace = Extract<Place, { kind: 'remote' }>;

export interface RemoteRequest {
  readonly place: RemotePlace;
  readonly accept?: string;
  /** Sent to the origin of the place only, redirects back to it included. */
  readonly authorization?: string;
  /** What we have already: the server need not send it again. */
  readonly validators?: Validators;
}

/** The cause of the error of a 401: what the server says of how to sign in. */
export interface Challenge {
  readonly wwwAuthenticate: string;
}

/**
 * Asks for an address, follows redirects, and lends the answer to the task. Each hop is located anew: mirrors apply, http is refused, and the
 * egress policy is asked at connect time. User and password of the address go to its own origin only.
 *
 * @throws AppError `ChartNotFound`, `ChartUnreachable`, `EgressDenied`.
 */
export async function withRemote<T>(
  wanted: RemoteRequest,
  context: RemoteContext,
  signal: AbortSignal,
  task: (destination: Destination) => Promise<T>,
): Promise<T> {
  const agents = new Map<RemotePlace['trust'], Agent>();
  const agentFor = (trust: RemotePlace['trust']): Agent => {
    const agent = agents.get(trust) ?? createAgent(trust, context);
    agents.set(trust, agent);
    return agent;
  };
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(context.limits.totalMs)]);
  try {
    return await task(await follow(wanted, context, { agentFor, signal: bounded }));
  } catch (error) {
    signal.throwIfAborted();
    throw networkFailure(error, wanted.place.url.href);
  } finally {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()));
  }
}

interface Hops {
  readonly agentFor: (trust: RemotePlace['trust']) => Agent;
  readonly signal: AbortSignal;
}

async function follow(wanted: RemoteRequest, context: RemoteContext, hops: Hops): Promise<Destination> {
  const { place: start, accept = '*/*', validators = {} } = wanted;
  const authorization = wanted.authorization ?? basicAuthorization(start.url);
  let place = start;
  for (let redirects = 0; redirects <= context.limits.redirects; redirects += 1) {
    const isHome = place.url.origin === start.url.origin;
    const answer = await ask(place, { ...hops, accept, authorization: isHome ? authorization : undefined, validators });
    const location = answer.headers['location'];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode) && typeof location === 'string';
    if (!isRedirect) return read(answer, place.url.href, validators);
    drop(answer.body);
    const next = nextPlace(place, location, context.geography);
    if (next.kind === 'folder') return next;
    if (next.kind === 'registry')
      throw chartError('ChartUnreachable', start.url.href, 'it redirects to a registry; use its oci address directly');
    place = next;
  }
  throw chartError(
    'ChartUnreachable',
    start.url.href,
    `it redirects more than ${context.limits.redirects} times; use the last address directly`,
  );
}

function nextPlace(from: RemotePlace, location: string, geography: Geography): Place {
  const address = from.url.href;
  const url = URL.parse(location, address);
  if (url === null) throw chartError('ChartUnreachable', address, 'it redirects to something that is not an address');
  // A page elsewhere must not be able to make us read files of this machine.
  if (url.protocol === 'file:') throw chartError('EgressDenied', address, 'it redirects to a file; only https is followed');
  return url.origin === from.url.origin ? { ...from, url } : locate(url.href, geography);
}

interface Asking extends Hops {
  readonly accept: string;
  readonly authorization: string | undefined;
  readonly validators: Validators;
}

function ask(place: RemotePlace, { agentFor, signal, accept, authorization, validators }: Asking): Promise<Dispatcher.ResponseData> {
  const url = new URL(place.url);
  url.username = '';
  url.password = '';
  return request(url, {
    dispatcher: agentFor(place.trust),
    signal,
    headers: {
      'user-agent': 'chandlery',
      accept,
      'accept-encoding': 'identity',
      ...(authorization === undefined ? {} : { authorization }),
      ...(validators.etag === undefined ? {} : { 'if-none-match': validators.etag }),
      ...(validators.lastModified === undefined ? {} : { 'if-modified-since': validators.lastModified }),
    },
  });
}

function read(answer: Dispatcher.ResponseData, address: string, sent: Validators): RemoteAnswer {
  const { statusCode, headers, body } = answer;
  if (statusCode === 304 && (sent.etag ?? sent.lastModified) !== undefined)
    return { kind: 'remote', body, answered: 'answered 304', length: 0, unchanged: true, validators: sent };
  if (statusCode === 404 || statusCode === 410) {
    drop(body);
    throw chartError('ChartNotFound', address, `answered ${statusCode}; check the address and the version`);
  }
  if (statusCode !== 200) {
    drop(body);
    if (statusCode === 401) throw chartError('ChartUnreachable', address, 'answered 401; it asks for credentials', challengeOf(headers));
    const advice = statusCode === 403 ? 'it does not let us read this' : 'try again later, or check the address';
    throw chartError('ChartUnreachable', address, `answered ${statusCode}; ${advice}`);
  }
  const type =
    String(headers['content-type'] ?? 'without a content type')
      .split(';')[0]
      ?.trim() ?? '';
  const length = Number(headers['content-length']);
  return {
    kind: 'remote',
    body,
    answered: `answered 200 ${type}`,
    length: Number.isFinite(length) ? length : undefined,
    unchanged: false,
    validators: validatorsOf(headers),
  };
}

function validatorsOf({ etag, 'last-modified': lastModified }: Dispatcher.ResponseData['headers']): Validators {
  return {
    ...(typeof etag === 'string' ? { etag } : {}),
    ...(typeof lastModified === 'string' ? { lastModified } : {}),
  };
}

function challengeOf(headers: Dispatcher.ResponseData['headers']): Challenge {
  const header = headers['www-authenticate'];
  return { wwwAuthenticate: typeof header === 'string' ? header : '' };
}

/** Ends an answer that nobody reads; what the body then says of it is of no interest. */
function drop(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function createAgent(trust: RemotePlace['trust'], { policy, limits, certificateAuthorities }: RemoteContext): Agent {
  const tls = certificateAuthorities.length > 0 ? { ca: [...rootCertificates, ...certificateAuthorities] } : {};
  const bounds = { timeout: limits.connectMs, allowH2: false };
  const timeouts = { headersTimeout: limits.idleMs, bodyTimeout: limits.idleMs };
  if (trust === 'admin') return new Agent({ connect: { ...bounds, ...tls }, ...timeouts });
  const connect = buildConnector({ ...bounds, ...tls, lookup: guardedLookup(policy) });
  return new Agent({
    ...timeouts,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An address in figures is connected to without being looked up.
      if (isIP(host) !== 0 && !policy.allows(host)) callback(egressDenied(host, host), null);
      else connect(options, callback);
    },
  });
}
