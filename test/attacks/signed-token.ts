import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { EVERYBODY } from '../../src/domain/kubernetes/actor.ts';
import { readNames, readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { Target } from './target.ts';

export type Claims = Readonly<Record<string, unknown>>;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** A token of the issuer's own key with any claims and type: what other clients, other issuers' habits and careless issuers produce. */
export async function signedToken(
  { stateDir }: Pick<Target, 'stateDir'>,
  claims: Claims,
  header: { readonly typ?: string } = {},
): Promise<string> {
  const [secrets, names] = [await readSecrets(stateDir), await readNames(stateDir)];
  if (secrets === undefined || names === undefined) throw new Error(`${stateDir} holds no embedded issuer`);
  const now = nowSeconds();
  const usual = { iss: names.issuer, aud: names.audience, jti: randomUUID(), iat: now, exp: now + 120 };
  return await new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: secrets.signingKey.kid ?? '', ...header })
    .sign(await importJWK(secrets.signingKey, 'RS256'));
}

/** The claims of somebody who curates the catalogue. */
export const ADMIN_CLAIMS: Claims = { sub: 'admin', preferred_username: 'admin', groups: ['platform'] };

/** The groups of somebody without any. */
export const NO_GROUPS: readonly string[] = [EVERYBODY];
