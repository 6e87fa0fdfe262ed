import { type AccessToken, type AccessTokenTable, type SeenPerson, tokenState } from '../domain/access-token/access-token.ts';
import { tokenDigest } from '../domain/access-token/token-text.ts';
import { AppError } from '../domain/core/errors.ts';
import type { SessionRecord, SignedIn } from '../domain/core/session.ts';
import { tokenWords } from '../domain/kubernetes/access-limits.ts';

/** What the identity part needs of the personal access tokens. */
export type AccessTokenPort = Pick<AccessTokenTable, 'find' | 'touch' | 'renew'>;

interface AccessTokenDeps {
  readonly accessTokens: AccessTokenPort;
  /** Milliseconds without a sign-in of their user after which tokens pause. */
  readonly absence: number;
  readonly clock: () => number;
}

/** A token is marked as used at most once in so many milliseconds, to spare the store. */
const USED_STEP = 60_000;
const DAY = 86_400_000;

/**
 * Who a personal access token stands for: its user, with the groups of their last sign-in and the limits of the token. It is looked up for each request, so that
 * it is revoked for all replicas at once.
 *
 * @throws AppError `Unauthenticated` that says why not.
 */
export async function signedInByAccessToken({ accessTokens, absence, clock }: AccessTokenDeps, text: string): Promise<SignedIn> {
  const digest = tokenDigest(text);
  if (digest === undefined) throw rejected('it is not complete, or a letter is wrong: copy it again');
  const token = await accessTokens.find(digest);
  if (token === undefined) throw rejected('it was revoked, or never existed');
  const now = clock();
  const state = tokenState(token, { now, absence });
  if (state === 'Expired') throw rejected(`${tokenWords(token)} has expired; create a new one`);
  if (state === 'Paused') {
    const advice = `its user has not signed in for ${Math.round(absence / DAY)} days, and it works again after the next sign-in`;
    throw rejected(`${tokenWords(token)} is paused: ${advice}`);
  }
  if (now - (token.usedAt ?? 0) >= USED_STEP) await accessTokens.touch(token.id, now);
  return signedInOf(token);
}

function signedInOf({ user, groups, person, id, name, scope, environments }: AccessToken): SignedIn {
  const limits = { id, name, scope, ...(environments === undefined ? {} : { environments }) };
  return { actor: { user, groups, limits }, person };
}

/** The owner of a session, for their tokens. @param seenAt milliseconds since 1970 */
export function seenBy({ actor, person, subject }: SessionRecord, seenAt: number): SeenPerson {
  return { user: actor.user, groups: actor.groups, person, subject, seenAt };
}

function rejected(why: string): AppError {
  return new AppError('Unauthenticated', `personal access token: ${why}`);
}
