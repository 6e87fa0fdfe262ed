import type { Readable } from 'node:stream';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import { secret } from '../../domain/core/secret.ts';
import type { Secret } from '../../domain/core/secret.ts';
import { openAgents } from './agents.ts';
import type { Agents, ConnectionSettings } from './agents.ts';
import { chartError } from '../chart-error.ts';
import { locate } from './locate.ts';
import type { Locations, Place } from './locate.ts';
import { networkFailure } from './network-failure.ts';
import { accessDenied } from './access-denied.ts';
import type { ScopedCredentials, SentCredentials } from './scoped-credentials.ts';

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

export interface RemoteContext extends ConnectionSettings {
  readonly locations: Locations;
}

type RemotePlace = Extract<Place, { kind: 'remote' }>;

export interface RemoteRequest extends SentCredentials {
  readonly place: RemotePlace;
  readonly accept?: string;
  /** What is cached: the server need not send it again. */
  readonly validators?: Validators;
}

/**
 * Asks for an address, follows redirects, and lends the answer to the task. Each hop is located anew: mirrors apply, http is refused, and the
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
