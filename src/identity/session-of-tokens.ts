import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { AppError } from '../domain/errors.ts';
import type { SessionRecord } from '../domain/session.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { signedInOfClaims } from './signed-in-of-claims.ts';

/** The answer of the token endpoint, verified by openid-client. */
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Tokens are renewed so many milliseconds before they end. */
const EARLY = 60_000;

/** A new session for the tokens of a sign-in. */
export function sessionOfTokens(tokens: Tokens, settings: IdentitySettings, now: number): SessionRecord {
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) {
    throw new AppError('Unauthenticated', 'sign-in: the identity provider sent no id token');
  }
  return {
    ...signedInOfClaims(claims, settings.mapping),
    subject: claims.sub,
    ...(typeof claims['sid'] === 'string' && { issuerSession: claims['sid'] }),
    idToken: tokens.id_token,
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
  if (claims === undefined || tokens.id_token === undefined) return { ...kept, ...renewal };
  if (claims.sub !== record.subject) throw new AppError('Unauthenticated', 'session: the renewed tokens are of somebody else');
  return { ...kept, ...signedInOfClaims(claims, settings.mapping), idToken: tokens.id_token, ...renewal };
}

function renewalOf(tokens: Tokens, refreshToken: string | undefined, now: number): Pick<SessionRecord, 'refreshToken' | 'refreshAt'> {
  const lifetime = tokens.expiresIn();
  if (refreshToken === undefined || lifetime === undefined) return {};
  const milliseconds = lifetime * 1000;
  return { refreshToken, refreshAt: now + Math.max(milliseconds - EARLY, milliseconds / 2) };
}
