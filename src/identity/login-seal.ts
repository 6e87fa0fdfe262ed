import { AppError } from '../domain/core/errors.ts';
import { numberAt, textAt } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';

/** A sign-in that is under way. */
export interface LoginTransaction {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** Seconds that somebody has at the issuer's pages. */
export const LOGIN_SECONDS = 600;

const CONTEXT = 'sign-in';

/** Encrypts a transaction for the browser to keep, so that the server need not. */
export function sealLogin(transaction: LoginTransaction, seal: Seal, now: number): string {
  return seal.seal(JSON.stringify({ ...transaction, expires: now + LOGIN_SECONDS * 1000 }), CONTEXT);
}

/** @throws AppError `Unauthenticated` when it is missing, too old, not ours, or of another sign-in than the state names. */
export function unsealLogin(
  sealed: string | undefined,
  state: string | null,
  { seal, now }: { readonly seal: Seal; readonly now: number },
): LoginTransaction {
  const stale = 'sign-in: it was begun in another browser, used already, or begun more than ten minutes ago. Sign in again';
  const text = sealed === undefined ? undefined : seal.open(sealed, CONTEXT)?.toString();
  const content: unknown = text === undefined ? undefined : JSON.parse(text);
  const transaction = {
    state: textAt(content, 'state') ?? '',
    nonce: textAt(content, 'nonce') ?? '',
    verifier: textAt(content, 'verifier') ?? '',
    returnTo: textAt(content, 'returnTo') ?? '/',
  };
  const isOver = now >= (numberAt(content, 'expires') ?? 0);
  if (isOver || transaction.state === '' || transaction.state !== state) throw new AppError('Unauthenticated', stale);
  return transaction;
}
