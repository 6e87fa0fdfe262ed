import { type Actor, EVERYBODY, parseActor } from '../domain/kubernetes/actor.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import type { Person, SignedIn } from '../domain/core/session.ts';
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
