import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { AppError } from '../domain/core/errors.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { signedInOfClaims } from './signed-in-of-claims.ts';
import { checkIssuedAt } from './verify-token.ts';

/** The answer of the token endpoint, verified by openid-client. */
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Tokens are renewed so many milliseconds before they end. */
const EARLY = 60_000;
/** OpenID Connect Core, 2. */
const LONGEST_SUBJECT = 255;

/** A new session for the tokens of a sign-in. */
export function sessionOfTokens(tokens: Tokens, settings: IdentitySettings, now: number): SessionRecord {
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) {
    throw new AppError('Unauthenticated', 'sign-in: the identity provider sent no id token');
  }
  checkClaims(claims, settings, now);
  return {
    ...signedInOfClaims(claims, settings.mapping),
    subject: claims.sub,
    ...(typeof claims['sid'] === 'string' && { issuerSession: claims['sid'] }),
    ...(settings.signOutHint === 'id-token' && { idToken: tokens.id_token }),
    ...renewalOf(tokens, tokens.refresh_token, now),
    createdAt: now,
    seenAt: now,
    expiresAt: now + settings.absoluteLifetime,
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
  const renewal = renewalOf(tokens, tokens.refresh_token ?? record.refreshToken, now);
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
  if (claims.sub.length > LONGEST_SUBJECT) {
    throw new AppError('Unauthenticated', `sign-in: the claim "sub" is longer than ${LONGEST_SUBJECT} characters`);
  }
}

function renewalOf(tokens: Tokens, refreshToken: string | undefined, now: number): Pick<SessionRecord, 'refreshToken' | 'refreshAt'> {
  const lifetime = tokens.expiresIn();
  if (refreshToken === undefined || lifetime === undefined) return {};
  const milliseconds = lifetime * 1000;
  return { refreshToken, refreshAt: now + Math.max(milliseconds - EARLY, milliseconds / 2) };
}
