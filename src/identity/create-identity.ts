import * as oidc from 'openid-client';
import { buildEndSessionUrl, refreshTokenGrant, tokenRevocation } from 'openid-client';
import { AppError } from '../domain/core/errors.ts';
import type { SessionRecord, SignedIn } from '../domain/core/session.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { createIssuerClient, type IssuerClient } from './issuer-client.ts';
import { issuerFault } from './issuer-errors.ts';
import { LOGIN_SECONDS, sealLogin, unsealLogin } from './login-seal.ts';
import { createSessions, renewedSession, sessionOfTokens, type Tokens } from './sessions.ts';
import type { SessionPort } from './renewal.ts';
import { parsePrefix, signedInOfClaims } from './signed-in-of-claims.ts';
import { LOGOUT_TOKEN_SECONDS, UsedOnce, verifyBearer, verifyLogoutToken } from './verify-token.ts';

export interface IdentityDeps {
  readonly settings: IdentitySettings;
  readonly sessions: SessionPort;
  /** 32 bytes that all replicas share: what a sign-in under way is sealed with. */
  readonly sealKey: Uint8Array;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Sign-ins and logout tokens of twenty minutes that are remembered as used. */
const MAX_ENTRIES = 20_000;

export type Identity = ReturnType<typeof createIdentity>;

interface LoginDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
  readonly sealKey: Uint8Array;
  readonly clock: () => number;
  /** Each state is good for one answer. */
  readonly usedStates: UsedOnce;
}

/**
 * Signing in by OpenID Connect, sessions, and bearer tokens: what the routes call `IdentityPort`. Nothing is asked of the issuer before
 * it is needed.
 *
 * @throws AppError `ConfigInvalid` when a prefix could make names of the cluster's own.
 */
export function createIdentity({ settings, sessions: table, sealKey, clock = Date.now }: IdentityDeps) {
  parsePrefix(settings.mapping.usernamePrefix, 'the prefix of user names');
  parsePrefix(settings.mapping.groupsPrefix, 'the prefix of groups');
  const issuer = createIssuerClient(settings, clock);
  const once = (seconds: number): UsedOnce => new UsedOnce({ lifetimeMs: 2 * seconds * 1000, most: MAX_ENTRIES, clock });
  const deps = { settings, issuer, sealKey, clock, usedStates: once(LOGIN_SECONDS), usedTokens: once(LOGOUT_TOKEN_SECONDS) };
  const renew = (record: SessionRecord): Promise<SessionRecord> => renewTokens({ settings, issuer, clock }, record);
  const sessions = createSessions({ settings, sessions: table, renew, clock });
  return {
    beginLogin: (returnTo: string) => beginLogin(deps, returnTo),
    finishLogin: async (answer: { parameters: URLSearchParams; sealed: string | undefined; previousSession: string | undefined }) => {
      const { tokens, returnTo } = await finishLogin(deps, answer);
      const session = await sessions.start(sessionOfTokens(tokens, settings, clock()));
      if (answer.previousSession !== undefined) await sessions.end(answer.previousSession);
      return { session, returnTo, maxAgeSeconds: Math.floor(settings.absoluteLifetime / 1000) };
    },
    signedInBySession: (session: string): Promise<SignedIn | undefined> => sessions.find(session),
    peekSession: (session: string): Promise<SignedIn | undefined> => sessions.peek(session),
    signedInByToken: async (token: string): Promise<SignedIn> => signedInOfClaims(await verifyBearer(deps, token), settings.mapping),
    logout: async (session: string): Promise<URL | undefined> => await signOut(deps, await sessions.end(session)),
    backchannelLogout: async (logoutToken: string): Promise<void> => {
      const { jti, ...named } = await verifyLogoutToken(deps, logoutToken);
      try {
        await table.deleteOf(named);
      } catch (error) {
        deps.usedTokens.release(jti);
        throw error;
      }
    },
    formTargets: (): readonly string[] => formTargets(issuer, settings),
    /** Why the issuer cannot be used now; undefined when it can. */
    unavailableReason: (): Promise<string | undefined> => issuer.unavailableReason(),
  };
}

interface IssuerDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
}

async function renewTokens(
  { settings, issuer, clock }: IssuerDeps & { clock: () => number },
  record: SessionRecord,
): Promise<SessionRecord> {
  if (record.refreshToken === undefined) throw new AppError('Unauthenticated', 'session: it has no refresh token');
  try {
    const tokens = await refreshTokenGrant(await issuer.configuration(), record.refreshToken);
    return renewedSession(record, tokens, settings, clock());
  } catch (error) {
    throw issuerFault(settings.issuer, error);
  }
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
async function beginLogin({ settings, issuer, sealKey, clock }: LoginDeps, returnTo: string) {
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
  const sealed = await sealLogin(transaction, sealKey, clock());
  return { redirect, state: transaction.state, sealed, maxAgeSeconds: LOGIN_SECONDS };
}

/**
 * Exchanges the code that the browser brought for tokens.
 *
 * @throws AppError `Unauthenticated` when the answer is an error, or not the one to this sign-in; `IssuerUnavailable` when the issuer is away.
 */
async function finishLogin(
  { settings, issuer, sealKey, clock, usedStates }: LoginDeps,
  { parameters, sealed }: { readonly parameters: URLSearchParams; readonly sealed: string | undefined },
): Promise<{ readonly tokens: Tokens; readonly returnTo: string }> {
  const transaction = await unsealLogin(sealed, parameters.get('state'), { key: sealKey, now: clock() });
  const configuration = await issuer.configuration();
  if (!usedStates.use(transaction.state)) throw new AppError('Unauthenticated', 'sign-in: its answer was used already. Sign in again');
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
    return { tokens, returnTo: transaction.returnTo };
  } catch (error) {
    throw issuerFault(settings.issuer, error);
  }
}

function callbackOf({ publicUrl }: IdentitySettings): URL {
  return new URL('/auth/callback', publicUrl);
}
