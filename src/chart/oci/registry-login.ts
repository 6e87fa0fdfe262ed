import { AppError } from '../../domain/core/errors.ts';
import { secret } from '../../domain/core/secret.ts';
import type { Secret } from '../../domain/core/secret.ts';
import { chartError } from '../chart-error.ts';
import type { Challenge } from '../fetch/access-denied.ts';
import type { ScopedCredentials } from '../fetch/scoped-credentials.ts';

export interface SignIn {
  /** The repository in the registry: `oci://host/path`. */
  readonly repository: URL;
  readonly credentials: ScopedCredentials | undefined;
  /** Asks for the JSON at an address. */
  readonly ask: (address: string, authorization: Secret | undefined) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Answers the challenge of a registry (RFC 7235; tokens as the distribution project describes them): by our login itself, or by a token that is had for it,
 * or for nothing. User and password go to the origin of the registry, and to a token server elsewhere only if the Secret names its origin.
 *
 * @param error what asking the registry ended in.
 * @returns the value of the header `Authorization`; undefined when there is nothing to answer, or to answer with.
 * @throws AppError `ChartUnauthorized`, and whatever asking for a token ends in.
 */
export async function signIn(error: unknown, { repository, credentials, ask }: SignIn): Promise<Secret | undefined> {
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

interface ParsedChallenge {
  readonly scheme: 'Bearer' | 'Basic' | 'None';
  readonly params: ReadonlyMap<string, string>;
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
