import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { buildEndSessionUrl, type Configuration, refreshTokenGrant, tokenRevocation } from 'openid-client';
import { AppError } from '../domain/core/errors.ts';
import type { Seal } from '../domain/core/seal.ts';
import type { SessionRecord, SignedIn } from '../domain/core/session.ts';
import type { BearerIssuer, IdentitySettings } from './identity-settings.ts';
import { createIssuerClient, type IssuerClient } from './issuer-client.ts';
import { issuerFault } from './issuer-errors.ts';
import { LOGIN_SECONDS, sealLogin, unsealLogin } from './login-seal.ts';
import { createSessions, renewedSession, sessionOfTokens, type Tokens } from './sessions.ts';
import type { SessionPort } from './renewal.ts';
import { ciJobOf } from './claims/ci-job.ts';
import { checkSeparatePrefixes } from './claims/claim-mapper.ts';
import { type AccessTokenPort, seenBy, signedInByAccessToken, signedInOfClaims } from './signed-in.ts';
import { isAccessToken } from '../domain/access-token/token-text.ts';
import type { UserTokens } from './user-tokens.ts';
import { LOGOUT_TOKEN_SECONDS, verifyBearer, verifyLogoutToken } from './verify-token.ts';

export interface IdentityDeps {
  readonly settings: IdentitySettings;
  readonly sessions: SessionPort;
  readonly accessTokens: AccessTokenPort;
  /** Why no session can be kept now; undefined when one can. */
  readonly storeUnavailable?: () => Promise<string | undefined>;
  /** Gets the tokens of those who are signed in, where calls to the api-server carry them. */
  readonly userTokens?: Pick<UserTokens, 'remember'>;
  /** Ids that count once, on whichever replica they come. */
  readonly usedIds: UsedIds;
  /** Seals a sign-in under way, with keys that all replicas share. */
  readonly seal: Seal;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Ids that count once: states of sign-ins and `jti` of logout tokens. Times are milliseconds since 1970. */
interface UsedIds {
  /** Uses the id; false when it was used before. */
  use(id: string, until: number): Promise<boolean>;
  /** Takes a use back, because nothing came of it. */
  release(id: string): Promise<void>;
}

/** What the api-server has never seen cannot be passed on to it. */
const NOT_PASSED =
  'the api-server does not know it, and this Chandlery passes the tokens of people on (--user-identity PassThrough); send a token of the identity provider';

/** When trying again makes sense. */
const RETRY_SECONDS = 5;

export type Identity = ReturnType<typeof createIdentity>;

interface LoginDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
  readonly usedIds: UsedIds;
  readonly seal: Seal;
  readonly clock: () => number;
}

/**
 * Signing in by OpenID Connect, sessions, and bearer tokens: what the routes call `IdentityPort`. Nothing is asked of the issuer before
 * it is needed.
 *
 * @throws AppError `ConfigInvalid` when two issuers could make the same names.
 */
export function createIdentity({ settings, sessions: table, accessTokens, usedIds, seal, clock = Date.now, ...rest }: IdentityDeps) {
  const { userTokens, storeUnavailable } = rest;
  checkSeparatePrefixes([settings, ...settings.otherIssuers].map(({ issuer: url, mapping }) => ({ url: url.href, mapping })));
  const issuer = createIssuerClient(settings, clock);
  const deps = { settings, issuer, seal, usedIds, clock };
  const others = otherIssuers(settings, clock);
  const renew = (record: SessionRecord): Promise<SessionRecord> => renewSession({ settings, issuer, clock, accessTokens }, record);
  const sessions = createSessions({ settings, sessions: table, renew, userTokens, clock });
  return {
    beginLogin: async (returnTo: string) => {
      // Better said before somebody has typed a password than after.
      const reason = await storeUnavailable?.();
      if (reason !== undefined) throw new AppError('DatabaseUnavailable', reason, { retryAfter: RETRY_SECONDS });
      return await beginLogin(deps, returnTo);
    },
    finishLogin: async (answer: { parameters: URLSearchParams; sealed: string | undefined; previousSession: string | undefined }) => {
      const { tokens, returnTo } = await finishLogin(deps, answer);
      const record = sessionOfTokens(tokens, settings, clock());
      const session = await sessions.start(record);
      await accessTokens.renew(seenBy(record, clock()));
      if (answer.previousSession !== undefined) await sessions.end(answer.previousSession);
      return { session, returnTo, maxAgeSeconds: Math.floor(settings.absoluteLifetime / 1000) };
    },
    signedInBySession: (session: string): Promise<SignedIn | undefined> => sessions.find(session),
    peekSession: (session: string): Promise<SignedIn | undefined> => sessions.peek(session),
    signedInByToken: async (token: string): Promise<SignedIn> =>
      isAccessToken(token)
        ? await signedInByAccessToken({ accessTokens: passedBy(userTokens, accessTokens), absence: settings.tokenAbsence, clock }, token)
        : await rememberedBy(userTokens, token, signedInByToken(others.get(issuerNamedBy(token)) ?? deps, token)),
    logout: async (session: string): Promise<URL | undefined> => await signOut(deps, await sessions.end(session)),
    backchannelLogout: async (logoutToken: string): Promise<void> => await logoutBackchannel(deps, table, logoutToken),
    formTargets: (): readonly string[] => formTargets(issuer, settings),
    /** Why the issuer cannot be used now; undefined when it can. */
    unavailableReason: (): Promise<string | undefined> => issuer.unavailableReason(),
  };
}

async function logoutBackchannel(deps: LoginDeps, sessions: Pick<SessionPort, 'deleteOf'>, logoutToken: string): Promise<void> {
  const { jti, ...named } = await verifyLogoutToken(deps, logoutToken);
  const id = `logout ${jti}`;
  if (!(await deps.usedIds.use(id, usedUntil(deps.clock(), LOGOUT_TOKEN_SECONDS)))) {
    throw new AppError('MalformedRequest', 'logout: the token was used before');
  }
  try {
    await sessions.deleteOf(named);
  } catch (error) {
    await deps.usedIds.release(id).catch(() => undefined);
    throw error;
  }
}

/** Remembered for twice the lifetime, because clocks differ. */
function usedUntil(now: number, lifetimeSeconds: number): number {
  return now + 2 * lifetimeSeconds * 1000;
}

type BearerDeps = { readonly settings: BearerIssuer; readonly issuer: IssuerClient; readonly clock: () => number };

async function signedInByToken(deps: BearerDeps, token: string): Promise<SignedIn> {
  const claims = await verifyBearer(deps, token);
  const { sub: subject } = claims;
  const isOfPeople = 'clientId' in deps.settings && subject !== undefined;
  const ciJob = ciJobOf(claims);
  const known = { ...(isOfPeople ? { subject } : {}), ...(ciJob === undefined ? {} : { ciJob }) };
  return { ...signedInOfClaims(claims, deps.settings.mapping), ...known };
}

type Remembering = Pick<UserTokens, 'remember'> | undefined;

/** @throws AppError `Unauthenticated` where calls carry tokens that the api-server knows: it knows no personal access tokens. */
function passedBy(userTokens: Remembering, accessTokens: AccessTokenPort): AccessTokenPort {
  if (userTokens === undefined) return accessTokens;
  throw new AppError('Unauthenticated', `personal access token: ${NOT_PASSED}`);
}

async function rememberedBy(userTokens: Remembering, token: string, verified: Promise<SignedIn>): Promise<SignedIn> {
  const signedIn = await verified;
  userTokens?.remember(signedIn.actor, token);
  return signedIn;
}

/** By the name of the issuer in the tokens. */
function otherIssuers({ otherIssuers: issuers }: IdentitySettings, clock: () => number): ReadonlyMap<string, BearerDeps> {
  return new Map(issuers.map((settings) => [settings.url, { settings, issuer: createIssuerClient(settings, clock), clock }] as const));
}

/** What a token says of its issuer, unverified: it only decides whose keys and rules the token is held against. */
function issuerNamedBy(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}

interface IssuerDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
}

async function renewSession(
  { accessTokens, ...deps }: IssuerDeps & { clock: () => number; accessTokens: AccessTokenPort },
  record: SessionRecord,
): Promise<SessionRecord> {
  const renewed = await renewTokens(deps, record);
  // The issuer may have replaced the refresh token, so the session counts whatever the store says; the next renewal brings the tokens up to date.
  await accessTokens.renew(seenBy(renewed, deps.clock())).catch(() => undefined);
  return renewed;
}

async function renewTokens(
  { settings, issuer, clock }: IssuerDeps & { clock: () => number },
  record: SessionRecord,
): Promise<SessionRecord> {
  if (record.refreshToken === undefined) throw new AppError('Unauthenticated', 'session: it has no refresh token');
  try {
    const configuration = await issuer.configuration();
    const tokens = await refreshTokenGrant(configuration, record.refreshToken);
    return renewedSession(record, await withUserinfo(settings, configuration, tokens), settings, clock());
  } catch (error) {
    throw issuerFault(settings.issuer, error);
  }
}

/** Adds the claims of the userinfo endpoint, where the settings ask for it (OpenID Connect Core, 5.3). What the ID token says counts first. */
async function withUserinfo({ claimsFrom }: IdentitySettings, configuration: Configuration, tokens: Tokens): Promise<Tokens> {
  const claims = tokens.claims();
  if (claimsFrom === 'id-token' || claims === undefined) return tokens;
  const info = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return Object.assign({}, tokens, { claims: () => Object.assign({}, info, claims), expiresIn: () => tokens.expiresIn() });
}

async function signOut(deps: IssuerDeps, record: SessionRecord | undefined): Promise<URL | undefined> {
  if (record === undefined || (await deps.issuer.unavailableReason()) !== undefined) return undefined;
  await revokeRefreshToken(deps, record);
  return await logoutAddress(deps, record);
}

/** RFC 7009, where the issuer offers it: a copy of the token is worth nothing then. What it answers changes nothing, as the session here has ended. */
async function revokeRefreshToken({ issuer }: IssuerDeps, { refreshToken }: SessionRecord): Promise<void> {
  const configuration = await issuer.configuration();
  if (refreshToken === undefined || configuration.serverMetadata().revocation_endpoint === undefined) return;
  await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' }).catch(() => undefined);
}

/**
 * OpenID Connect RP-Initiated Logout 1.0; an issuer that is away or offers no such thing is not notified. Our client id says who asks. The ID token would too, but
 * it would stay in the history of the browser and in logs, so it goes along only where the issuer demands it.
 */
async function logoutAddress({ settings, issuer }: IssuerDeps, record: SessionRecord): Promise<URL | undefined> {
  const configuration = await issuer.configuration();
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
  return buildEndSessionUrl(configuration, {
    ...(settings.signOutHint === 'id-token' && record.idToken !== undefined && { id_token_hint: record.idToken }),
    post_logout_redirect_uri: new URL('/signed-out', settings.publicUrl).href,
  });
}

function formTargets(issuer: IssuerClient, settings: IdentitySettings): readonly string[] {
  const endpoint = issuer.known()?.serverMetadata().end_session_endpoint;
  const origins = [settings.issuer.origin, ...(endpoint === undefined ? [] : [new URL(endpoint).origin])];
  return [...new Set(origins)].filter((origin) => origin !== settings.publicUrl.origin);
}

/** Begins the authorization code flow with PKCE, state and nonce (OpenID Connect Core, 3.1). */
async function beginLogin({ settings, issuer, seal, clock }: LoginDeps, returnTo: string) {
  const configuration = await issuer.configuration();
  const transaction = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier(), returnTo };
  const redirect = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackOf(settings).href,
    scope: settings.scopes.join(' '),
    state: transaction.state,
    nonce: transaction.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(transaction.verifier),
    code_challenge_method: 'S256',
  });
  const sealed = sealLogin(transaction, seal, clock());
  return { redirect, state: transaction.state, sealed, maxAgeSeconds: LOGIN_SECONDS };
}

/**
 * Exchanges the code that the browser brought for tokens.
 *
 * @throws AppError `Unauthenticated` when the answer is an error, or not the one to this sign-in; `IssuerUnavailable` when the issuer is away.
 */
async function finishLogin(
  { settings, issuer, seal, clock, usedIds }: LoginDeps,
  { parameters, sealed }: { readonly parameters: URLSearchParams; readonly sealed: string | undefined },
): Promise<{ readonly tokens: Tokens; readonly returnTo: string }> {
  const transaction = unsealLogin(sealed, parameters.get('state'), { seal, now: clock() });
  const configuration = await issuer.configuration();
  // A state is good for one answer.
  if (!(await usedIds.use(`sign-in ${transaction.state}`, usedUntil(clock(), LOGIN_SECONDS)))) {
    throw new AppError('Unauthenticated', 'sign-in: the answer of the identity provider was used already. Sign in again');
  }
  const address = callbackOf(settings);
  address.search = parameters.toString();
  const checks = {
    pkceCodeVerifier: transaction.verifier,
    expectedState: transaction.state,
    expectedNonce: transaction.nonce,
    idTokenExpected: true,
  };
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, address, checks);
    return { tokens: await withUserinfo(settings, configuration, tokens), returnTo: transaction.returnTo };
  } catch (error) {
    throw issuerFault(settings.issuer, error);
  }
}

function callbackOf({ publicUrl }: IdentitySettings): URL {
  return new URL('/auth/callback', publicUrl);
}
