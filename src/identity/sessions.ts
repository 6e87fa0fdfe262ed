import { createHash, randomBytes } from 'node:crypto';
import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import type { SessionRecord, SignedIn } from '../domain/core/session.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { createRenewal, type Renew, type SessionPort } from './renewal.ts';
import { AppError } from '../domain/core/errors.ts';
import { signedInOfClaims } from './signed-in.ts';
import { checkIssuedAt } from './verify-token.ts';
import { endOf, type UserTokens } from './user-tokens.ts';

/** A session is marked as seen at most once in so many milliseconds, to spare the store. */
const SEEN_STEP = 60_000;

interface Sessions {
  /** Keeps a new session; the answer is the secret for the browser. Never a secret that a browser brought. */
  start(record: SessionRecord): Promise<string>;
  /** @throws AppError `IssuerUnavailable` when the tokens have been over for too long and the issuer stays away. */
  find(secret: string): Promise<SignedIn | undefined>;
  /** As `find`, but it does not count as a request: a live stream alone keeps no session from its idle end. */
  peek(secret: string): Promise<SignedIn | undefined>;
  /** Ends a session; the answer is what it was. */
  end(secret: string): Promise<SessionRecord | undefined>;
}

interface SessionDeps {
  readonly settings: IdentitySettings;
  readonly sessions: SessionPort;
  readonly renew: Renew;
  readonly userTokens: Pick<UserTokens, 'remember'> | undefined;
  readonly clock: () => number;
}

/** Sessions with an idle and an absolute end, whose tokens are renewed while they are used. */
export function createSessions({ settings, sessions, renew, userTokens, clock }: SessionDeps): Sessions {
  const renewal = createRenewal({ sessions, renew, clock });
  const look = async (secret: string, use: 'used' | 'seen'): Promise<SignedIn | undefined> => {
    const key = keyOf(secret);
    const record = await sessions.get(key);
    if (record === undefined) return undefined;
    const now = clock();
    if (now >= record.expiresAt || now - record.seenAt >= settings.idleLifetime) {
      await sessions.delete(key);
      return undefined;
    }
    const current = await renewal.current(key, record);
    if (current === undefined) return undefined;
    // A session from before tokens were passed on has none.
    if (settings.userToken !== 'none' && current.userToken === undefined) return undefined;
    if (current.userToken !== undefined) userTokens?.remember(current.actor, current.userToken);
    if (use === 'used' && now - current.seenAt >= SEEN_STEP) await sessions.touch(key, now);
    return { actor: current.actor, person: current.person, subject: current.subject };
  };
  return {
    find: async (secret) => await look(secret, 'used'),
    peek: async (secret) => await look(secret, 'seen'),
    start: async (record) => {
      const secret = randomBytes(32).toString('base64url');
      await sessions.put(keyOf(secret), record);
      return secret;
    },
    end: async (secret) => {
      const key = keyOf(secret);
      const record = await sessions.get(key);
      await sessions.delete(key);
      return record;
    },
  };
}

function keyOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The answer of the token endpoint, verified by openid-client. */
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Tokens are renewed so many milliseconds before they end. */
const EARLY = 60_000;
/** OpenID Connect Core, 2. */
const MAX_SUBJECT_LENGTH = 255;

/** A new session for the tokens of a sign-in. */
export function sessionOfTokens(tokens: Tokens, settings: IdentitySettings, now: number): SessionRecord {
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) {
    throw new AppError('Unauthenticated', 'sign-in: the identity provider sent no id token');
  }
  checkClaims(claims, settings, now);
  const userToken = userTokenOf(tokens, settings);
  // Without a refresh token, nothing comes after the first one.
  const lastsUntil = userToken === undefined || tokens.refresh_token !== undefined ? Number.POSITIVE_INFINITY : endOf(userToken);
  return {
    ...signedInOfClaims(claims, settings.mapping),
    subject: claims.sub,
    ...(typeof claims['sid'] === 'string' && { issuerSession: claims['sid'] }),
    ...(settings.signOutHint === 'id-token' && { idToken: tokens.id_token }),
    ...renewalOf(tokens, { refreshToken: tokens.refresh_token, userToken, now }),
    ...(userToken === undefined ? {} : { userToken }),
    createdAt: now,
    seenAt: now,
    expiresAt: Math.min(now + settings.absoluteLifetime, lastsUntil),
  };
}

/**
 * The session after its tokens were renewed: groups may have changed. An issuer need not send a new id token or refresh token.
 *
 * @throws AppError `Unauthenticated` when the new tokens are somebody else's.
 */
export function renewedSession(record: SessionRecord, tokens: Tokens, settings: IdentitySettings, now: number): SessionRecord {
  const claims = tokens.claims();
  const { refreshAt: _over, ...kept } = record;
  const userToken = userTokenOf(tokens, settings);
  if (settings.userToken !== 'none' && userToken === undefined) {
    throw new AppError('Unauthenticated', 'session: the identity provider sent no new ID token, which the api-server needs');
  }
  const renewal = {
    ...renewalOf(tokens, { refreshToken: tokens.refresh_token ?? record.refreshToken, userToken, now }),
    ...(userToken === undefined ? {} : { userToken }),
  };
  if (claims === undefined) return { ...kept, ...renewal };
  checkClaims(claims, settings, now);
  if (claims.sub !== record.subject) throw new AppError('Unauthenticated', 'session: the renewed tokens are for another user');
  // The first ID token stays the hint for the sign-out: it has a nonce, so it is no bearer token; those of renewals have none.
  return { ...kept, ...signedInOfClaims(claims, settings.mapping), ...renewal };
}

type Claims = NonNullable<ReturnType<Tokens['claims']>>;

/** What openid-client leaves to us (OpenID Connect Core, 3.1.3.7): the token was issued to us, not in the future, and its subject has a bound. */
function checkClaims(claims: Claims, { clientId }: IdentitySettings, now: number): void {
  checkIssuedAt(claims.iat, now, 'sign-in');
  if (claims.azp !== undefined && claims.azp !== clientId) {
    throw new AppError('Unauthenticated', 'sign-in: the identity provider issued the ID token to another client (claim "azp")');
  }
  if (claims.sub.length > MAX_SUBJECT_LENGTH) {
    throw new AppError('Unauthenticated', `sign-in: the claim "sub" is longer than ${MAX_SUBJECT_LENGTH} characters`);
  }
}

/** The token that the api-server takes from this person. */
function userTokenOf(tokens: Tokens, { userToken }: IdentitySettings): string | undefined {
  if (userToken === 'none') return undefined;
  return userToken === 'id' ? tokens.id_token : tokens.access_token;
}

interface Renewal {
  readonly refreshToken: string | undefined;
  readonly userToken: string | undefined;
  readonly now: number;
}

/** A token for the api-server ends by its own claim, which the issuer's answer does not tell. */
function renewalOf(tokens: Tokens, { refreshToken, userToken, now }: Renewal): Pick<SessionRecord, 'refreshToken' | 'refreshAt'> {
  const own = userToken === undefined ? undefined : (endOf(userToken) - now) / 1000;
  const lifetimes = [tokens.expiresIn(), own].filter((seconds) => seconds !== undefined);
  if (refreshToken === undefined || lifetimes.length === 0) return {};
  const milliseconds = Math.max(0, Math.min(...lifetimes)) * 1000;
  return { refreshToken, refreshAt: now + Math.max(milliseconds - EARLY, milliseconds / 2) };
}
