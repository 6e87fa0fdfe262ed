import { EncryptJWT, jwtDecrypt } from 'jose';
import { AppError } from '../domain/core/errors.ts';
import { textAt } from '../domain/core/read.ts';

/** A sign-in that is under way. */
export interface LoginTransaction {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** Seconds that somebody has at the issuer's pages. */
export const LOGIN_SECONDS = 600;

const AUDIENCE = 'chandlery-login';

/** Encrypts a transaction for the browser to keep, so that the server need not (A256GCM, 32-byte key). */
export function sealLogin(transaction: LoginTransaction, key: Uint8Array, now: number): Promise<string> {
  return new EncryptJWT({ ...transaction })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAudience(AUDIENCE)
    .setExpirationTime(Math.floor(now / 1000) + LOGIN_SECONDS)
    .encrypt(key);
}

/** @throws AppError `Unauthenticated` when it is missing, too old, not ours, or of another sign-in than the state names. */
export async function unsealLogin(
  sealed: string | undefined,
  state: string | null,
  { key, now }: { readonly key: Uint8Array; readonly now: number },
): Promise<LoginTransaction> {
  const stale = 'sign-in: it was begun in another browser, used already, or begun more than ten minutes ago. Sign in again';
  if (sealed === undefined) throw new AppError('Unauthenticated', stale);
  const payload = await decrypt(sealed, { key, now }).catch((cause: unknown) => {
    throw new AppError('Unauthenticated', stale, { cause });
  });
  const transaction = {
    state: textAt(payload, 'state') ?? '',
    nonce: textAt(payload, 'nonce') ?? '',
    verifier: textAt(payload, 'verifier') ?? '',
    returnTo: textAt(payload, 'returnTo') ?? '/',
  };
  if (transaction.state === '' || transaction.state !== state) throw new AppError('Unauthenticated', stale);
  return transaction;
}

async function decrypt(sealed: string, { key, now }: { readonly key: Uint8Array; readonly now: number }): Promise<unknown> {
  const options = {
    audience: AUDIENCE,
    currentDate: new Date(now),
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
    requiredClaims: ['exp'],
  };
  return (await jwtDecrypt(sealed, key, options)).payload;
}
