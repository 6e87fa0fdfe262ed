import type { Readable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';
import type { ChartLimits } from '../limits.ts';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { AppError } from '../../domain/core/errors.ts';
import { secret, type Secret } from '../../domain/core/secret.ts';
import { chartError } from '../chart-error.ts';
import type { OfferedVersion } from '../repository/repository.ts';
import { accessDenied, type ScopedCredentials, type SentCredentials } from './scoped-credentials.ts';
import { locate, type Locations, type Place } from './locate.ts';
import { type EgressPolicy, guardedConnector } from '../../egress/egress-policy.ts';

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
  /** The header `Link`; empty when there is none. */
  readonly link: string;
}

/** What a server calls the bytes that it gave (RFC 9110, section 8.8), in its own words. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A redirect may lead to a mirror, and that may be a folder. */
export type Destination = RemoteAnswer | Extract<Place, { kind: 'folder' }>;

/** The charts that people uploaded. */
export interface Uploads {
  /** The archive of one by its address `file://uploaded/NAME.tgz`; undefined when there is none, or it is no such address. */
  archive(address: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** The versions of a chart, in any order, with absolute addresses. */
  versions(name: string, signal: AbortSignal): Promise<readonly OfferedVersion[]>;
}

export interface RemoteContext extends ConnectionSettings {
  readonly locations: Locations;
  readonly uploads?: Uploads;
}

type RemotePlace = Extract<Place, { kind: 'remote' }>;

export interface RemoteRequest extends SentCredentials {
  readonly place: RemotePlace;
  readonly accept?: string;
  /** What is cached: the server need not send it again. */
  readonly validators?: Validators;
}

/** What a code of Node or undici means, and what to do about it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(ENOTFOUND|EAI_\w+|EINVAL)$/,
    'its host name cannot be resolved; check the address, or serve it with --mirror if this machine has no internet access',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    'nothing accepts a connection there; check the address, or serve it with --mirror',
  ],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'the connection was not made in time; check the network, or serve it with --mirror'],
  [/^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|UND_ERR_ABORTED|ABORT_ERR)$/, 'the server did not answer in time; try again later'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED|HPE_\w+|HTTPParserError|UND_ERR_RES\w*)$/,
    'the connection broke off before the end; try again',
  ],
  [
    /^(CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+|EPROTO)$/,
    'its TLS certificate is not trusted or does not fit, or it wants one of ours; trust its authority with --chart-ca, or with the key ca.crt of the Secret in spec.chart.secretRef',
  ],
  [/^(UND_ERR_\w+|ERR_HTTP_\w+|ERR_INVALID_\w+)$/, 'its answer is not one of HTTP that can be read; check the address'],
];

/**
 * Asks for an address, follows redirects, and lends the answer to the task. Each hop is located anew: mirrors apply, http is rejected, and the
 * egress policy is asked at connect time. Login and client certificate, also those of the
 * address itself, go to its own origin only.
 *
 * @throws AppError `ChartNotFound`, `ChartUnreachable`, `ChartUnauthorized` (its cause is a `Challenge`), `EgressDenied`.
 */
export async function withRemote<T>(
  wanted: RemoteRequest,
  context: RemoteContext,
  signal: AbortSignal,
  task: (destination: Destination) => Promise<T>,
): Promise<T> {
  const agents = openAgents(context);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(context.limits.totalMs)]);
  try {
    return await task(await follow(wanted, context, { agents, signal: bounded }));
  } catch (error) {
    signal.throwIfAborted();
    throw networkFailure(error, wanted.place.url.href);
  } finally {
    await agents.close();
  }
}

interface Hops {
  readonly agents: Agents;
  readonly signal: AbortSignal;
}

async function follow(wanted: RemoteRequest, context: RemoteContext, hops: Hops): Promise<Destination> {
  const { place: start, accept = '*/*', validators = {} } = wanted;
  const authorization = wanted.authorization ?? basicAuthorization(start.url);
  let place = start;
  let isHome = true;
  for (let redirects = 0; redirects <= context.limits.redirects; redirects += 1) {
    const sent = isHome ? { authorization, identity: wanted.identity } : { authorization: undefined, identity: undefined };
    const answer = await ask(place, { ...hops, ...sent, accept, validators });
    const location = answer.headers['location'];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode) && typeof location === 'string';
    if (!isRedirect)
      return read(answer, {
        address: place.url.href,
        validators,
        isHome,
        credentialsSent: isHome && authorization !== undefined ? 'Sent' : 'NotSent',
        credentials: context.credentials,
      });
    drop(answer.body);
    const next = nextPlace(place, location, context.locations);
    if (next.kind === 'folder') return next;
    if (next.kind === 'registry')
      throw chartError('ChartUnreachable', start.url.href, 'it redirects to a registry; use its oci address directly');
    place = next;
    isHome = isHome && next.url.origin === start.url.origin;
  }
  throw chartError(
    'ChartUnreachable',
    start.url.href,
    `it redirects more than ${context.limits.redirects} times; use the last address directly`,
  );
}

function nextPlace(from: RemotePlace, location: string, locations: Locations): Place {
  const address = from.url.href;
  const url = URL.parse(location, address);
  if (url === null) throw chartError('ChartUnreachable', address, 'it redirects to something that is not an address');
  // A page elsewhere must not be able to make us read files of this machine.
  if (url.protocol === 'file:') throw chartError('EgressDenied', address, 'it redirects to a file; only https is followed');
  return url.origin === from.url.origin ? { ...from, url } : locate(url.href, locations);
}

interface HopRequest extends Hops {
  readonly accept: string;
  readonly authorization: Secret | undefined;
  readonly identity: SentCredentials['identity'];
  readonly validators: Validators;
}

function ask(
  place: RemotePlace,
  { agents, signal, accept, authorization, identity, validators }: HopRequest,
): Promise<Dispatcher.ResponseData> {
  const url = new URL(place.url);
  url.username = '';
  url.password = '';
  return request(url, {
    dispatcher: agents.agentFor({ trust: place.trust, identity }),
    signal,
    headers: {
      'user-agent': 'chandlery',
      accept,
      'accept-encoding': 'identity',
      ...(authorization === undefined ? {} : { authorization: authorization.reveal() }),
      ...(validators.etag === undefined ? {} : { 'if-none-match': validators.etag }),
      ...(validators.lastModified === undefined ? {} : { 'if-modified-since': validators.lastModified }),
    },
  });
}

interface Asked {
  readonly address: string;
  readonly validators: Validators;
  /** No redirect has led away from where we were sent. */
  readonly isHome: boolean;
  readonly credentialsSent: 'Sent' | 'NotSent';
  readonly credentials: ScopedCredentials | undefined;
}

function read(answer: Dispatcher.ResponseData, asked: Asked): RemoteAnswer {
  const { statusCode, headers, body } = answer;
  const { address, validators: sent, credentialsSent, credentials } = asked;
  if (statusCode === 304 && (sent.etag ?? sent.lastModified) !== undefined)
    return { kind: 'remote', body, answered: 'answered 304', length: 0, unchanged: true, validators: sent, link: '' };
  if (statusCode === 404 || statusCode === 410) {
    drop(body);
    throw chartError('ChartNotFound', address, `answered ${statusCode}; check the address and the version`);
  }
  if (statusCode !== 200) {
    drop(body);
    if (statusCode === 401 || statusCode === 403) {
      // A server that we were only redirected to has no say in where we sign in.
      const challenge = asked.isHome ? String(headers['www-authenticate'] ?? '') : '';
      throw accessDenied({ address, status: statusCode, credentialsSent, credentials, challenge });
    }
    throw chartError('ChartUnreachable', address, `answered ${statusCode}; try again later, or check the address`);
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
    link: String(headers['link'] ?? ''),
  };
}

function validatorsOf({ etag, 'last-modified': lastModified }: Dispatcher.ResponseData['headers']): Validators {
  return {
    ...(typeof etag === 'string' ? { etag } : {}),
    ...(typeof lastModified === 'string' ? { lastModified } : {}),
  };
}

/** Ends an answer that nobody reads; what the body then says of it is of no interest. */
function drop(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

function basicAuthorization(url: URL): Secret | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  return secret(`Basic ${Buffer.from(pair).toString('base64')}`);
}

/** A percent sign that encodes nothing is itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Makes an AppError of what the network threw; an AppError, also one inside, is handed on as it is. */
function networkFailure(error: unknown, address: string): unknown {
  const known = causesOf(error).find((cause) => cause instanceof AppError);
  if (known !== undefined) return known;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return chartError('ChartUnreachable', address, 'it took too long in all; try again later', error);
  }
  const codes = causesOf(error).map(codeOf);
  const meaning = MEANINGS.find(([pattern]) => codes.some((code) => pattern.test(code)));
  const code = codes.find((candidate) => meaning?.[0].test(candidate) === true);
  return meaning === undefined ? error : chartError('ChartUnreachable', address, `${meaning[1]} (${code ?? ''})`, error);
}

/** The error, its causes, and the parts of an aggregate. */
function causesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...parts, ...causesOf(error.cause)];
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  // The parser of HTTP has not always a code.
  return error instanceof Error ? error.name : '';
}

/** The connections of one fetch. */
interface Agents {
  agentFor(hop: Hop): Agent;
  close(): Promise<void>;
}

/** How connections are made. */
interface ConnectionSettings {
  readonly policy: EgressPolicy;
  readonly limits: ChartLimits;
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
  /** The credentials of the source of this chart; absent for a public one. */
  readonly credentials?: ScopedCredentials;
}

export interface Hop {
  readonly trust: Extract<Place, { kind: 'remote' }>['trust'];
  /** The client certificate, where it is presented. */
  readonly identity: ChartCredentials['identity'];
}

/** Connections; one that presents a client certificate is never shared with one that does not. */
function openAgents(settings: ConnectionSettings): Agents {
  const agents = new Map<string, Agent>();
  return {
    agentFor: (hop) => {
      const key = `${hop.trust} ${hop.identity === undefined ? 'anonymous' : 'identified'}`;
      const agent = agents.get(key) ?? createAgent(hop, settings);
      agents.set(key, agent);
      return agent;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function createAgent({ trust, identity }: Hop, { policy, limits, certificateAuthorities, credentials }: ConnectionSettings): Agent {
  const authorities = [...certificateAuthorities, ...(credentials?.authorities ?? [])];
  const tls = {
    ...(authorities.length > 0 ? { ca: [...getCACertificates('default'), ...authorities] } : {}),
    ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key.reveal() }),
  };
  const bounds = { timeout: limits.connectMs, allowH2: false };
  const timeouts = { headersTimeout: limits.idleMs, bodyTimeout: limits.idleMs };
  if (trust === 'admin') return new Agent({ connect: { ...bounds, ...tls }, ...timeouts });
  return new Agent({ ...timeouts, connect: guardedConnector({ policy, deny: egressDenied, options: { ...bounds, ...tls } }) });
}

function egressDenied(why: string): AppError {
  return new AppError('EgressDenied', `chart: ${why}, or serve the chart with --mirror`);
}
