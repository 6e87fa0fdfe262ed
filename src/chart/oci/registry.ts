import { createHash } from 'node:crypto';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { secret, type Secret } from '../../domain/core/secret.ts';
import { chartError } from '../chart-error.ts';
import { type Challenge, credentialsSentTo, type ScopedCredentials } from '../fetch/scoped-credentials.ts';
import { locate } from '../fetch/locate.ts';
import { readText } from '../fetch/receive.ts';
import { type RemoteAnswer, type RemoteContext, withRemote } from '../fetch/remote.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A manifest, known by the digest of the very bytes that came. */
export interface Manifest {
  /** `sha256:<hex>` */
  readonly digest: string;
  readonly bytes: Buffer;
  readonly fields: Fields;
}

/** One repository of a registry, by the OCI distribution specification 1.1. */
export interface Registry {
  /** Lends the answer to the task. The path is below the repository: `blobs/<digest>`. */
  get<T>(path: string, accept: string, task: (answer: RemoteAnswer) => Promise<T>): Promise<T>;
  /** A manifest or an index by its tag or digest. */
  manifest(reference: string, accept?: string): Promise<Manifest>;
  /** A blob of at most so many bytes, whose digest is checked. */
  blob(digest: string, maxBytes: number): Promise<Buffer>;
  tags(): Promise<readonly string[]>;
}

export const DIGEST = /^sha256:[0-9a-f]{64}$/;
export const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const IMAGE_INDEX = 'application/vnd.oci.image.index.v1+json';
const TEXT_BYTES = 4 * 1024 * 1024;
const TAG_PAGES = 100;
const MAX_TAGS = 50_000;

interface SignIn {
  /** The repository in the registry: `oci://host/path`. */
  readonly repository: URL;
  readonly credentials: ScopedCredentials | undefined;
  /** Asks for the JSON at an address. */
  readonly ask: (address: string, authorization: Secret | undefined) => Promise<Readonly<Record<string, unknown>>>;
}

interface ParsedChallenge {
  readonly scheme: 'Bearer' | 'Basic' | 'None';
  readonly params: ReadonlyMap<string, string>;
}

/** Opens `oci://host/path`. A registry that asks for credentials gets them once. */
export function openRegistry(repository: URL, context: RemoteContext, signal: AbortSignal): Registry {
  const get = openSession(repository, context, signal);
  const base = `https://${repository.host}/v2${repository.pathname}`;
  const text = (path: string, accept: string): Promise<string> =>
    get(path, accept, (answer) => readText({ ...answer, bytes: answer.body, address: `${base}/${path}` }, TEXT_BYTES));
  return {
    get,
    manifest: async (reference, accept = IMAGE_MANIFEST) => {
      const path = reference.startsWith('referrers/') ? reference : `manifests/${reference}`;
      const content = await text(path, accept);
      const digest = digestOf(content);
      if (DIGEST.test(reference) && digest !== reference)
        throw chartError(
          'DigestMismatch',
          `${base}/${path}`,
          `its digest is ${digest}; the registry returned other content than requested`,
        );
      return { digest, bytes: Buffer.from(content), fields: parseFields(content, `${base}/${path}`) };
    },
    blob: async (digest, maxBytes) => {
      const path = `blobs/${digest}`;
      const content = await get(path, '*/*', (answer) => readText({ ...answer, bytes: answer.body, address: `${base}/${path}` }, maxBytes));
      if (digestOf(content) !== digest) throw chartError('DigestMismatch', `${base}/${path}`, 'it holds other bytes than its digest says');
      return Buffer.from(content);
    },
    tags: () => listTags(get, base),
  };
}

type Get = Registry['get'];

function openSession(repository: URL, context: RemoteContext, signal: AbortSignal): Get {
  const base = `https://${repository.host}/v2${repository.pathname}`;
  const { credentials } = context;
  const login = credentials?.login;
  let authorization: Secret | undefined = login?.scheme === 'Bearer' ? login.authorization : undefined;
  const once = <T>(address: string, accept: string, given: Secret | undefined, task: (answer: RemoteAnswer) => Promise<T>): Promise<T> => {
    const place = locate(address, context.locations);
    if (place.kind !== 'remote') throw chartError('ChartUnreachable', address, 'a registry cannot be served from here');
    const { identity } = credentialsSentTo(address, credentials);
    const who = { ...(identity === undefined ? {} : { identity }), ...(given === undefined ? {} : { authorization: given }) };
    return withRemote({ place, accept, ...who }, context, signal, (destination) => {
      if (destination.kind === 'folder') throw chartError('ChartUnreachable', address, 'a registry cannot be served from a folder');
      return task(destination);
    });
  };
  const ask = (address: string, given: Secret | undefined): Promise<Fields> =>
    once(address, 'application/json', given, async (answer) =>
      parseFields(await readText({ ...answer, bytes: answer.body, address }, TEXT_BYTES), address),
    );
  return async (path, accept, task) => {
    try {
      return await once(`${base}/${path}`, accept, authorization, task);
    } catch (error) {
      if (authorization !== undefined || !isAppError(error, 'ChartUnauthorized')) throw error;
      authorization = await signIn(error, { repository, credentials, ask });
      if (authorization === undefined) throw error;
      return once(`${base}/${path}`, accept, authorization, task);
    }
  };
}

/** All tags. Of the link to the next page only the query counts, so that it cannot lead elsewhere. */
async function listTags(get: Get, base: string): Promise<readonly string[]> {
  const tags = new Set<string>();
  let query: string | undefined = '';
  for (let page = 0; page < TAG_PAGES && query !== undefined && tags.size < MAX_TAGS; page += 1) {
    const path: string = `tags/list${query}`;
    const known = tags.size;
    query = await get(path, 'application/json', async (answer) => {
      const address = `${base}/${path}`;
      const { tags: listed } = parseFields(await readText({ ...answer, bytes: answer.body, address }, TEXT_BYTES), address);
      for (const tag of Array.isArray(listed) ? (listed as readonly unknown[]) : []) if (typeof tag === 'string') tags.add(tag);
      return tags.size === known ? undefined : nextQuery(answer.link, address);
    });
  }
  return [...tags];
}

function nextQuery(link: string, address: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(link)?.[1];
  const query = target === undefined ? undefined : URL.parse(target, address)?.search;
  return query === '' ? undefined : query;
}

function digestOf(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function parseFields(text: string, address: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through to the one sentence for what is not the JSON that a registry speaks.
  }
  throw chartError('ChartInvalid', address, 'what it answered is not the JSON of a registry; check the address');
}

/**
 * Answers the challenge of a registry (RFC 7235; tokens as the distribution project describes them): by our login itself, or by a token that is had for it,
 * or for nothing. User and password go to the origin of the registry, and to a token server elsewhere only if the Secret names its origin.
 *
 * @param error what asking the registry ended in.
 * @returns the value of the header `Authorization`; undefined when there is nothing to answer, or to answer with.
 * @throws AppError `ChartUnauthorized`, and whatever asking for a token ends in.
 */
async function signIn(error: unknown, { repository, credentials, ask }: SignIn): Promise<Secret | undefined> {
  const challenge = challengeOf(error);
  const login = credentials?.login?.scheme === 'Basic' ? credentials.login.authorization : undefined;
  if (challenge.scheme !== 'Bearer') return challenge.scheme === 'Basic' ? login : undefined;
  const address = tokenAddress(challenge.params, repository);
  if (address === undefined) return undefined;
  if (credentials !== undefined && login !== undefined && ![credentials.origin, credentials.tokenServer].includes(address.origin)) {
    const why = `it requests the credentials of ${credentials.source} for ${address.origin}, another origin, so nothing was sent; if that is its token server, add to the Secret: tokenServer: ${address.origin}`;
    throw chartError('ChartUnauthorized', repository.href, why);
  }
  const answer = await ask(address.href, login);
  const token = answer['token'] ?? answer['access_token'];
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw chartError('ChartUnauthorized', address.href, 'it answered without a token; check the address of the registry');
  return secret(`Bearer ${token}`);
}

function challengeOf(error: unknown): ParsedChallenge {
  const text = error instanceof AppError ? ((error.cause as Partial<Challenge> | undefined)?.wwwAuthenticate ?? '') : '';
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/is.exec(text)?.[1];
  const params = new Map<string, string>();
  // The first of a name counts: what follows may belong to another challenge.
  for (const [, key = '', value = ''] of (bearer ?? '').matchAll(/(\w+)="([^"]*)"/g))
    if (!params.has(key.toLowerCase())) params.set(key.toLowerCase(), value);
  if (bearer !== undefined) return { scheme: 'Bearer', params };
  return { scheme: /(?:^|,\s*)basic\b/i.test(text) ? 'Basic' : 'None', params };
}

/** Where the token is to be had; never for more than reading this repository. */
function tokenAddress(params: ReadonlyMap<string, string>, repository: URL): URL | undefined {
  const address = URL.parse(params.get('realm') ?? '');
  if (address === null) return undefined;
  const service = params.get('service');
  if (service !== undefined) address.searchParams.set('service', service);
  const scope = params.get('scope') ?? '';
  // A registry behind a mirror names the repository in its own way.
  address.searchParams.set('scope', /^repository:[^:\s]+:pull$/.test(scope) ? scope : `repository:${repository.pathname.slice(1)}:pull`);
  return address;
}
