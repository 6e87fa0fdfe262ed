import { type AccessToken, type AccessTokenTable, type SeenPerson, tokenState } from '../domain/access-token/access-token.ts';
import { tokenDigest } from '../domain/access-token/token-text.ts';
import { tokenWords } from '../domain/kubernetes/access-limits.ts';
import { type Actor, EVERYBODY, parseActor } from '../domain/kubernetes/actor.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import type { Person, SessionRecord, SignedIn } from '../domain/core/session.ts';
import type { ClaimMapper, Claims } from './claims/claim-mapper.ts';

const MAX_NAME_CHARACTERS = 100;

/**
 * Makes an actor and a person of the claims of a verified token.
 *
 * @throws AppError `Unauthenticated` when the claims break a rule of the issuer, name nobody, name somebody of the cluster's own, or name too many groups.
 */
export function signedInOfClaims(claims: Claims, mapping: ClaimMapper): SignedIn {
  const { username, groups, plainName } = mapping.map(claims);
  return { actor: actorOf(username, [...groups, EVERYBODY]), person: personOf(claims, plainName) };
}

function personOf(claims: Claims, user: string): Person {
  const known = [claims['name'], claims['preferred_username']].map(displayed).find((name) => name !== '');
  const email = displayed(claims['email']);
  return { name: known ?? user, ...(email !== '' && { email }) };
}

/** A text of the issuer as a page shows it: one line of bounded length, without characters that nobody sees or that turn the line around. */
function displayed(text: unknown): string {
  if (typeof text !== 'string') return '';
  const visible = text.slice(0, 4 * MAX_NAME_CHARACTERS).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, '');
  return Array.from(visible.trim()).slice(0, MAX_NAME_CHARACTERS).join('');
}

function actorOf(user: string, groups: readonly string[]): Actor {
  try {
    return parseActor(user, groups);
  } catch (cause) {
    throw new AppError('Unauthenticated', `sign-in: ${messageOf(cause)}`, { cause });
  }
}

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
  const what = token.registration === undefined ? 'personal access token' : 'registration token';
  if (state === 'Expired') throw rejected(`${tokenWords(token)} has expired; create a new one`, what);
  if (state === 'Paused') {
    const advice = `its user has not signed in for ${Math.round(absence / DAY)} days, and it works again after the next sign-in`;
    throw rejected(`${tokenWords(token)} is paused: ${advice}`, what);
  }
  if (now - (token.usedAt ?? 0) >= USED_STEP) await accessTokens.touch(token.id, now);
  return signedInOf(token);
}

function signedInOf({ user, groups, person, id, name, scope, environments, registration }: AccessToken): SignedIn {
  const granted = registration === undefined ? {} : { registration };
  const limits = { id, name, scope, ...(environments === undefined ? {} : { environments }), ...granted };
  return { actor: { user, groups, limits }, person };
}

/** The owner of a session, for their tokens. @param seenAt milliseconds since 1970 */
export function seenBy({ actor, person, subject }: SessionRecord, seenAt: number): SeenPerson {
  return { user: actor.user, groups: actor.groups, person, subject, seenAt };
}

function rejected(why: string, what = 'personal access token'): AppError {
  return new AppError('Unauthenticated', `${what}: ${why}`);
}
