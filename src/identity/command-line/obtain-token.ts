import { type Configuration, refreshTokenGrant, ResponseBodyError, tokenRevocation } from 'openid-client';
import { AppError } from '../../domain/core/errors.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import type { CliClient } from '../../domain/kubectl/cli-client.ts';
import { tokenClaims, tokenEnd } from '../../domain/kubectl/exec-credential.ts';
import type { ExpectedClaim } from '../../domain/kubectl/kubeconfig.ts';
import { createIssuerClient } from '../issuer-client.ts';
import { issuerFault } from '../issuer-errors.ts';
import type { Tokens } from '../sessions.ts';
import type { CachedTokens, CacheKey, TokenCache } from './token-cache.ts';

/** Signs somebody in at the issuer. */
export type SignIn = (configuration: Configuration, scope: string) => Promise<Tokens>;

export interface TokenRequest {
  readonly client: CliClient;
  /** As the api-server names the person; empty where nobody is known yet. */
  readonly user: string;
  /** Rejects the sign-in of somebody else. */
  readonly expected?: ExpectedClaim;
  readonly cache: TokenCache;
  /** `force` signs in although there is a token. */
  readonly mode: 'cached' | 'force';
  readonly signIn: SignIn;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** A token that ends sooner than this is renewed: the call that it is for takes time, and clocks differ. */
const MARGIN_MS = 60_000;

/**
 * The bearer token of a person: from the cache, else renewed by the refresh token, else by a sign-in. One process at a time renews or signs in; the others take what it has got.
 *
 * @throws AppError `IssuerUnavailable`; `Unauthenticated` when the sign-in failed or somebody else signed in.
 */
export async function obtainToken(request: TokenRequest): Promise<CachedTokens> {
  const { cache, mode, clock } = request;
  const key = cacheKeyOf(request);
  const isGood = (tokens: CachedTokens | undefined): tokens is CachedTokens =>
    tokens !== undefined && tokens.expiresAt > clock() + MARGIN_MS;
  const before = await cache.read(key);
  if (mode === 'cached' && isGood(before)) return before;
  return await cache.locked(key, async () => {
    const now = await cache.read(key);
    const isNew = now?.bearer.reveal() !== before?.bearer.reveal();
    if (isGood(now) && (mode === 'cached' || isNew)) return now;
    const tokens = await newTokens(request, mode === 'cached' ? now?.refreshToken : undefined);
    await cache.write(key, tokens);
    return tokens;
  });
}

export function cacheKeyOf({ client, user }: Pick<TokenRequest, 'client' | 'user'>): CacheKey {
  return { issuer: client.issuer, clientId: client.clientId, user };
}

/** The tokens of a refresh token that the issuer still takes, else of a sign-in. They are not stored. */
export async function newTokens(request: Omit<TokenRequest, 'cache' | 'mode' | 'user'>, refreshToken?: Secret): Promise<CachedTokens> {
  const { client, signIn, clock } = request;
  const configuration = await issuerOf(client, clock).configuration();
  try {
    if (refreshToken !== undefined) {
      const renewed = await refresh(configuration, refreshToken, client);
      if (renewed !== undefined) return keptTokens(request, renewed, refreshToken);
    }
    return keptTokens(request, await signIn(configuration, scopeOf(client, configuration)), undefined);
  } catch (error) {
    throw issuerFault(new URL(client.issuer), error);
  }
}

/** Undefined when the issuer no longer takes the refresh token, or gives no new ID token where that is the bearer token: only a sign-in helps then. */
async function refresh(configuration: Configuration, refreshToken: Secret, { token }: CliClient): Promise<Tokens | undefined> {
  try {
    const tokens = await refreshTokenGrant(configuration, refreshToken.reveal());
    return token === 'id' && tokens.id_token === undefined ? undefined : tokens;
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return undefined;
    throw error;
  }
}

function issuerOf({ issuer, clientId, certificateAuthority }: CliClient, clock: () => number) {
  const authority = certificateAuthority === undefined ? {} : { certificateAuthority };
  return createIssuerClient({ issuer: new URL(issuer), clientId, callHeaders: {}, ...authority }, clock);
}

/** `offline_access` asks for a refresh token (OpenID Connect Core, 11), where the issuer knows it. */
function scopeOf({ scopes }: CliClient, configuration: Configuration): string {
  const offline = configuration.serverMetadata().scopes_supported?.includes('offline_access') === true ? ['offline_access'] : [];
  return [...new Set(['openid', 'profile', 'email', ...scopes, ...offline])].join(' ');
}

/** An issuer that does not rotate refresh tokens names none when it renews: the old one stays good. */
function keptTokens(
  { client, expected, clock }: Pick<TokenRequest, 'client' | 'expected' | 'clock'>,
  tokens: Tokens,
  known: Secret | undefined,
): CachedTokens {
  const text = client.token === 'id' ? tokens.id_token : tokens.access_token;
  if (text === undefined) throw new AppError('Unauthenticated', 'sign-in: the identity provider gave no ID token');
  if (expected !== undefined) checkPerson(tokens.claims() ?? tokenClaims(text), expected);
  const refreshToken = tokens.refresh_token === undefined ? known : secret(tokens.refresh_token);
  const seconds = tokens.expiresIn() ?? 0;
  const expiresAt = tokenEnd(text) ?? clock() + seconds * 1000;
  return { bearer: secret(text), expiresAt, ...(refreshToken === undefined ? {} : { refreshToken }) };
}

function checkPerson(claims: object, { claim, value }: ExpectedClaim): void {
  const found: unknown = Reflect.get(claims, claim);
  if (found === value) return;
  const who = typeof found === 'string' ? JSON.stringify(found.slice(0, 100)) : 'nobody';
  throw new AppError(
    'Unauthenticated',
    `sign-in: ${who} signed in, but this kubeconfig is of ${JSON.stringify(value)} (claim ${JSON.stringify(claim)}): sign in as that person, or print a kubeconfig of your own`,
  );
}

/** Ends a sign-in: the issuer forgets the refresh token (RFC 7009), where it can, and the file goes. */
export async function forgetTokens({
  client,
  user,
  cache,
  clock,
}: Pick<TokenRequest, 'client' | 'user' | 'cache' | 'clock'>): Promise<void> {
  const key = cacheKeyOf({ client, user });
  await cache.locked(key, async () => {
    const tokens = await cache.read(key).catch(() => undefined);
    await cache.delete(key);
    if (tokens?.refreshToken === undefined) return;
    const configuration = await issuerOf(client, clock).configuration();
    if (configuration.serverMetadata().revocation_endpoint === undefined) return;
    await tokenRevocation(configuration, tokens.refreshToken.reveal(), { token_type_hint: 'refresh_token' }).catch((error: unknown) => {
      throw issuerFault(new URL(client.issuer), error);
    });
  });
}
