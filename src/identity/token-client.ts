import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { AppError } from '../domain/core/errors.ts';
import type { IdentitySettings } from './identity-settings.ts';

/** A JWT whose signature, issuer, audience and times are right. */
export interface VerifiedToken {
  readonly header: Partial<JWTHeaderParameters>;
  readonly payload: JWTPayload;
}

/** What ID tokens carry when a person signed in at the issuer's pages (OpenID Connect Core, 2), and tokens of CI jobs do not. */
const SIGN_IN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'auth_time', 'sid'];

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
export function checkTokenClient({ header, payload }: VerifiedToken, settings: Pick<IdentitySettings, 'clientId' | 'bearerClients'>): void {
  const { clientId, bearerClients } = settings;
  const azp = payload['azp'];
  if (azp !== undefined && typeof azp !== 'string') throw rejected('its claim "azp" is not a name');
  const isAccessToken = typeOf(header) === 'at+jwt';
  const ownAccessToken = isAccessToken && azp === clientId;
  const isOfBrowser = (azp ?? clientId) === clientId && [payload.aud].flat().includes(clientId);
  if (!isAccessToken && isOfBrowser && SIGN_IN_CLAIMS.some((name) => payload[name] !== undefined)) {
    throw rejected('it is the ID token of a sign-in in a browser; get a token of another client, or an access token');
  }
  if (azp === undefined || ownAccessToken || bearerClients.includes(azp)) return;
  throw rejected(`it was issued to the client ${JSON.stringify(azp.slice(0, 100))}: an admin can accept it with --bearer-client`);
}

/** The type in the header of a token, without the prefix that RFC 7515 lets signers leave out; empty when there is none. */
export function typeOf({ typ }: Partial<JWTHeaderParameters>): string {
  return (typ ?? '').toLowerCase().replace(/^application\//, '');
}

function rejected(why: string): AppError {
  return new AppError('Unauthenticated', `bearer token: ${why}`);
}
