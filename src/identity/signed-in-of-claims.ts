import { type Actor, EVERYBODY, parseActor } from '../domain/kubernetes/actor.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import type { Person, SignedIn } from '../domain/core/session.ts';
import type { ClaimMapping } from './identity-settings.ts';

const MAX_GROUPS = 500;
const MAX_NAME_LENGTH = 256;
const MAX_NAME_CHARACTERS = 100;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Makes an actor and a person of the claims of a verified token. Groups that no header can carry unchanged are left out, which can only take permissions
 * away: a header loses the spaces around its value, so "admins " would become "admins".
 *
 * @throws AppError `Unauthenticated` when the claims name nobody, name somebody of the cluster's own, or name too many groups.
 */
export function signedInOfClaims(claims: Claims, mapping: ClaimMapping): SignedIn {
  const user = userOf(claims, mapping);
  const groups = groupsOf(claims, mapping.groupsClaim).map((group) => `${mapping.groupsPrefix}${group}`);
  return { actor: actorOf(`${mapping.usernamePrefix}${user}`, [...groups, EVERYBODY]), person: personOf(claims, user) };
}

/**
 * A prefix that keeps names of an issuer apart from all others.
 *
 * @throws AppError `ConfigInvalid` when it is empty, or is the cluster's or ours.
 */
export function parsePrefix(text: string, setting: string): string {
  if (text === '') throw new AppError('ConfigInvalid', `${setting}: it is empty; names of the issuer need a prefix, such as "oidc:"`);
  if (!/^[!-~]{1,64}$/.test(text)) {
    throw new AppError('ConfigInvalid', `${setting}: ${JSON.stringify(text)} must be 1 to 64 printable ASCII characters without spaces`);
  }
  const reserved = ['system:', 'chandlery:'].find((name) => text.startsWith(name) || name.startsWith(text));
  if (reserved === undefined) return text;
  throw new AppError(
    'ConfigInvalid',
    `${setting}: ${JSON.stringify(text)} could make names that begin with "${reserved}", which are reserved`,
  );
}

function userOf(claims: Claims, { usernameClaim }: ClaimMapping): string {
  const name = claims[usernameClaim];
  if (typeof name !== 'string' || name.trim() === '') throw rejected(`the claim ${JSON.stringify(usernameClaim)} names nobody`);
  if (usernameClaim === 'email' && claims['email_verified'] !== true)
    throw rejected('the identity provider has not verified the e-mail address');
  if (isReserved(name)) throw rejected(`the user name ${JSON.stringify(name)} is reserved for the cluster`);
  if (!isSendable(name)) throw rejected(`the user name must be printable ASCII of at most ${MAX_NAME_LENGTH} characters`);
  if (name !== name.trim()) throw rejected(`the user name ${JSON.stringify(name)} begins or ends with a space`);
  return name;
}

function groupsOf(claims: Claims, groupsClaim: string): readonly string[] {
  const given = claims[groupsClaim] ?? [];
  const groups: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (groups.length > MAX_GROUPS) throw rejected(`${groups.length} groups are more than the ${MAX_GROUPS} that we accept`);
  const names = groups.filter((group) => typeof group === 'string');
  if (names.length < groups.length) throw rejected(`the claim ${JSON.stringify(groupsClaim)} is not a list of names`);
  const reserved = names.find(isReserved);
  if (reserved !== undefined) throw rejected(`the group ${JSON.stringify(reserved)} is reserved for the cluster`);
  return names.filter((name) => isSendable(name) && name === name.trim());
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

function isReserved(name: string): boolean {
  return name.trim().toLowerCase().startsWith('system:');
}

function isSendable(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[\x20-\x7e]+$/.test(name);
}

function rejected(why: string): AppError {
  return new AppError('Unauthenticated', `sign-in: ${why}: ask the administrator of the identity provider`);
}
