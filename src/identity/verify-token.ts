import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { AppError } from '../domain/errors.ts';
import type { IdentitySettings } from './identity-settings.ts';
import type { IssuerClient } from './issuer-client.ts';
import { issuerFault } from './issuer-errors.ts';

/** Signatures by a private key only: with `none` or a shared secret anybody could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const CLOCK_TOLERANCE_SECONDS = 30;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

interface TokenDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
  readonly clock: () => number;
}

/**
 * The claims of a bearer token: a JWT access token (RFC 9068) or an id token that our issuer signed for us.
 *
 * @throws AppError `Unauthenticated` that says what is wrong with it, `IssuerUnavailable` when its keys cannot be fetched.
 */
export async function verifyBearer(deps: TokenDeps, token: string): Promise<JWTPayload> {
  const payload = await verify(deps, token, { audience: [...deps.settings.audiences], requiredClaims: ['exp', 'sub'] });
  if (payload['events'] === undefined) return payload;
  throw new AppError('Unauthenticated', 'bearer token: it is a logout token; send an access token or an id token');
}

/** Whose sessions a logout token ends (OpenID Connect Back-Channel Logout 1.0, 2.6). */
export async function verifyLogoutToken(
  deps: TokenDeps,
  token: string,
): Promise<{ readonly subject?: string; readonly issuerSession?: string }> {
  const payload = await verify(deps, token, { audience: deps.settings.clientId, requiredClaims: ['iat', 'exp'] });
  const events = payload['events'];
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT) && payload['nonce'] === undefined;
  const issuerSession = payload['sid'];
  if (!isLogout || (payload.sub === undefined && typeof issuerSession !== 'string')) {
    throw new AppError('MalformedRequest', 'logout: the token is no logout token, or names nobody');
  }
  return { ...(payload.sub !== undefined && { subject: payload.sub }), ...(typeof issuerSession === 'string' && { issuerSession }) };
}

async function verify({ settings, issuer, clock }: TokenDeps, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  const keys = await issuer.keys();
  const always = {
    issuer: keys.issuer,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(clock()),
  };
  try {
    return (await jwtVerify(token, keys.key, { ...options, ...always })).payload;
  } catch (error) {
    const why = whyRefused(error);
    if (why === undefined) throw issuerFault(settings.issuer, error);
    throw new AppError('Unauthenticated', `bearer token: ${why}`, { cause: error });
  }
}

/** What is wrong with the token; undefined when it is not the token's fault. */
function whyRefused(error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return 'it has expired; get a new one';
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'it is signed in a way that we do not accept';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'no key of the identity provider has signed it';
  return error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid ? 'it is not a signed JWT' : undefined;
}

function claimFault(claim: string): string {
  if (claim === 'aud') return 'it is meant for another audience';
  if (claim === 'iss') return 'it is of another issuer';
  if (claim === 'nbf') return 'it is not valid yet';
  return `its claim ${JSON.stringify(claim)} is missing or wrong`;
}
