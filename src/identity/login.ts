import * as oidc from 'openid-client';
import type { IdentitySettings } from './identity-settings.ts';
import type { IssuerClient } from './issuer-client.ts';
import { issuerFault } from './issuer-errors.ts';
import { LOGIN_SECONDS, sealLogin, unsealLogin } from './login-seal.ts';
import type { Tokens } from './session-of-tokens.ts';
import type { UsedOnce } from './used-once.ts';
import { AppError } from '../domain/core/errors.ts';

export interface LoginDeps {
  readonly settings: IdentitySettings;
  readonly issuer: IssuerClient;
  readonly sealKey: Uint8Array;
  readonly clock: () => number;
  /** Each state is good for one answer. */
  readonly usedStates: UsedOnce;
}

/** Begins the authorization code flow with PKCE, state and nonce (OpenID Connect Core, 3.1). */
export async function beginLogin({ settings, issuer, sealKey, clock }: LoginDeps, returnTo: string) {
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
export async function finishLogin(
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
