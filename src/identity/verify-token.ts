import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { listAt, textAt } from '../domain/core/read.ts';
import type { MappedUser } from './claims/claim-mapper.ts';
import type { BearerIssuer, IdentitySettings } from './identity-settings.ts';
import { createIssuerClient, type IssuerClient } from './issuer-client.ts';
import { issuerFault } from './issuer-errors.ts';

/** Signatures by a private key only: with `none` or a shared secret anybody could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** How far the clock of an issuer may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Issuers send logout tokens at once; OpenID Connect Back-Channel Logout 1.0 recommends that they expire after two minutes. */
export const LOGOUT_TOKEN_SECONDS = 600;
const BEARER_TYPES = new Set(['', 'jwt', 'at+jwt']);
const LOGOUT_TYPES = new Set(['', 'jwt', 'logout+jwt']);
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** An issuer as its tokens are checked; `clientId` is that of the browser's sign-in, where people sign in there. */
type TokenIssuer = Omit<BearerIssuer, 'mapping'> & Partial<Pick<IdentitySettings, 'clientId' | 'issuerAliases'>>;

interface TokenDeps {
  readonly settings: TokenIssuer;
  readonly issuer: IssuerClient;
  readonly clock: () => number;
}

type SignInDeps = TokenDeps & { readonly settings: { readonly clientId: string } };

/** A JWT whose signature, issuer, audience and times are right. */
interface VerifiedToken {
  readonly header: Partial<JWTHeaderParameters>;
  readonly payload: JWTPayload;
}

/** What ID tokens carry when a person signed in at the issuer's pages (OpenID Connect Core, 2), and tokens of CI jobs do not. */
const SIGN_IN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'auth_time', 'sid'];

/**
 * The claims of a bearer token: a JWT access token (RFC 9068) or an ID token of a client other than the browser's that our issuer signed for us.
 *
 * @throws AppError `Unauthenticated` that says what is wrong with it, `IssuerUnavailable` when its keys cannot be fetched.
 */
export async function verifyBearer(deps: TokenDeps, token: string): Promise<JWTPayload> {
  const verified = await verify(deps, token, { audience: [...deps.settings.audiences], requiredClaims: ['exp', 'sub'] });
  const { header, payload } = verified;
  if (payload['events'] !== undefined || !BEARER_TYPES.has(typeOf(header))) {
    throw new AppError('Unauthenticated', 'bearer token: it is a token for another purpose; send an access token or an ID token');
  }
  if (payload['cnf'] !== undefined) {
    throw new AppError(
      'Unauthenticated',
      'bearer token: it is bound to a key (claim "cnf"), so it is no bearer token; get one that is not',
    );
  }
  checkTokenClient(verified, deps.settings);
  return payload;
}

/** Whose sessions a logout token ends. */
interface LogoutNames {
  readonly subject?: string;
  readonly issuerSession?: string;
  /** The id of the token. */
  readonly jti: string;
}

/** Whose sessions a logout token ends (OpenID Connect Back-Channel Logout 1.0, 2.6). */
export async function verifyLogoutToken(deps: SignInDeps, token: string): Promise<LogoutNames> {
  const options = { audience: deps.settings.clientId, requiredClaims: ['iat', 'exp', 'jti'], maxTokenAge: LOGOUT_TOKEN_SECONDS };
  const { header, payload } = await verify(deps, token, options);
  const events = payload['events'];
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT) && payload['nonce'] === undefined;
  const { sid: issuerSession, jti, sub: subject } = payload;
  const namesSomebody = isName(subject) || isName(issuerSession);
  if (!isLogout || !LOGOUT_TYPES.has(typeOf(header)) || !namesSomebody || !isName(jti)) {
    throw new AppError('MalformedRequest', 'logout: the token is not a logout token, or has no subject');
  }
  return { jti, ...(isName(subject) && { subject }), ...(isName(issuerSession) && { issuerSession }) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** @throws AppError `Unauthenticated` when a token was issued in the future: the clock of the issuer cannot be relied on, and its tokens live too long. */
export function checkIssuedAt(iat: number | undefined, now: number, what: string): void {
  if (iat === undefined || iat <= now / 1000 + CLOCK_TOLERANCE_SECONDS) return;
  throw new AppError('Unauthenticated', `${what}: it was issued in the future: correct the clock of the identity provider or of Chandlery`);
}

async function verify({ settings, issuer, clock }: TokenDeps, token: string, options: JWTVerifyOptions): Promise<VerifiedToken> {
  const keys = await issuer.keys();
  const always = {
    issuer: [keys.issuer, ...(settings.issuerAliases ?? [])],
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(clock()),
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.key, { ...options, ...always });
    checkIssuedAt(payload.iat, clock(), 'bearer token');
    return { payload, header: protectedHeader };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = whyRejected(error);
    if (why === undefined) throw issuerFault(settings.issuer, error);
    throw new AppError('Unauthenticated', `bearer token: ${why}`, { cause: error });
  }
}

/** What is wrong with the token; undefined when it is not the token's fault. */
function whyRejected(error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return 'it has expired; get a new one';
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'its signature algorithm is not accepted';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'no key of the identity provider has signed it';
  return error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid ? 'it is not a signed JWT' : undefined;
}

function claimFault(claim: string): string {
  if (claim === 'aud') return 'it is meant for another audience';
  if (claim === 'iss') return 'it is of another issuer';
  if (claim === 'nbf') return 'it is not valid yet';
  if (claim === 'iat') return 'it was issued in the future, or too long ago';
  return `its claim ${JSON.stringify(claim)} is missing or wrong`;
}

/**
 * Rejects tokens that their issuer gave to a client we do not take tokens of. ID tokens of our own browser client are never bearer tokens: they are made to
 * be shown to the issuer again at sign-out, so they may stand in histories and logs.
 *
 * - An access token by its type (RFC 9068) was issued for our API; its `azp`, if any, is ours or is listed.
 * - Any other token that names its client in `azp` is accepted only when that client is listed.
 * - A token for our client that carries a claim of a sign-in is an ID token of the browser client. CI jobs get tokens for our client without one.
 *
 * @throws AppError `Unauthenticated`
 */
function checkTokenClient({ header, payload }: VerifiedToken, settings: Pick<TokenIssuer, 'clientId' | 'bearerClients'>): void {
  const { clientId, bearerClients } = settings;
  const azp = payload['azp'];
  if (azp !== undefined && typeof azp !== 'string') throw rejected('its claim "azp" is not a name');
  const isAccessToken = typeOf(header) === 'at+jwt';
  const ownAccessToken = isAccessToken && azp === clientId;
  const isOfBrowser = clientId !== undefined && (azp ?? clientId) === clientId && [payload.aud].flat().includes(clientId);
  if (!isAccessToken && isOfBrowser && SIGN_IN_CLAIMS.some((name) => payload[name] !== undefined)) {
    throw rejected('it is the ID token of a sign-in in a browser; get a token of another client, or an access token');
  }
  if (azp === undefined || ownAccessToken || bearerClients.includes(azp)) return;
  throw rejected(`it was issued to the client ${JSON.stringify(azp.slice(0, 100))}: an admin can accept it with --bearer-client`);
}

/** The type in the header of a token, without the prefix that RFC 7515 lets signers leave out; empty when there is none. */
function typeOf({ typ }: Partial<JWTHeaderParameters>): string {
  return (typ ?? '').toLowerCase().replace(/^application\//, '');
}

function rejected(why: string): AppError {
  return new AppError('Unauthenticated', `bearer token: ${why}`);
}

/** What was tried of an issuer, and how it went. */
export interface CheckStep {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string;
}

export interface IssuerCheck {
  readonly issuer: string;
  readonly steps: readonly CheckStep[];
  /** Who the token stands for; absent without a token, and when it is rejected. */
  readonly user?: MappedUser;
}

/** An issuer under its name in tokens, and what sign-in there needs, where people sign in. */
export type CheckedIssuer = BearerIssuer & { readonly url: string; readonly issuerAliases?: readonly string[]; readonly clientId?: string };

/** Whether a token says that this issuer made it. Nothing is verified. @throws Error for something else than a JWT. */
export function isNamedBy(token: string, { url, issuerAliases = [] }: CheckedIssuer): boolean {
  const { iss } = decodeJwt(token);
  return iss === url || iss === new URL(url).href || issuerAliases.some((alias) => alias === iss);
}

/** Tries what a sign-in and a bearer token need of an issuer: its discovery document, its keys, and the token by its rules. Stops at the first that fails. */
export async function checkIssuer(settings: CheckedIssuer, token: string | undefined): Promise<IssuerCheck> {
  const issuer = createIssuerClient(settings, Date.now);
  const steps: CheckStep[] = [];
  let user: MappedUser | undefined;
  const attempt = async (name: string, act: () => Promise<string>): Promise<boolean> => {
    const step = await act().then(
      (message) => ({ name, passed: true, message }),
      (error: unknown) => ({ name, passed: false, message: messageOf(error) }),
    );
    steps.push(step);
    return step.passed;
  };
  const isReached =
    (await attempt('discovery', async () => {
      const { issuer: itself, userinfo_endpoint: userinfo } = (await issuer.configuration()).serverMetadata();
      return `${itself}${userinfo === undefined ? '' : '; has a userinfo endpoint'}`;
    })) &&
    (await attempt('keys', async () => {
      const keys = listAt(await issuer.readKeys(), 'keys');
      return `${keys.length}: ${keys.map((key) => `${textAt(key, 'alg') ?? textAt(key, 'kty') ?? ''} ${textAt(key, 'kid') ?? ''}`.trim()).join(', ')}`;
    }));
  if (isReached && token !== undefined) {
    await attempt('token', async () => {
      user = settings.mapping.map(await verifyBearer({ settings, issuer, clock: Date.now }, token));
      return 'accepted';
    });
  }
  return { issuer: settings.url, steps, ...(user === undefined ? {} : { user }) };
}
