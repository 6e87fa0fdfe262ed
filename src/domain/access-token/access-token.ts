import type { Person } from '../core/session.ts';
import type { LimitedEnvironment, TokenScope } from '../kubernetes/access-limits.ts';
import type { RegistrationGrant } from './registration.ts';

/**
 * A personal access token or a registration token as the store has it: everything but its text. Whoever sends the text acts as the user, within the limits. Times are milliseconds
 * since 1970.
 */
export interface AccessToken {
  /** Names it in lists and logs: 16 hexadecimal digits. */
  readonly id: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly digest: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** Absent: all environments of the user. */
  readonly environments?: readonly LimitedEnvironment[];
  /** Of a registration token. */
  readonly registration?: RegistrationGrant;
  /** Environments that were registered with it. */
  readonly uses?: number;
  readonly user: string;
  /** As at the last sign-in or renewal of a session. */
  readonly groups: readonly string[];
  readonly person: Person;
  /** The issuer's `sub`: another person who gets the user name later renews nothing. */
  readonly subject: string;
  /** When the user signed in last, or a session of theirs was renewed. */
  readonly seenAt: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the minute; absent: never. */
  readonly usedAt?: number;
}

/** Somebody as the issuer has just described them. */
export interface SeenPerson {
  readonly user: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly person: Person;
  readonly seenAt: number;
}

/** The personal access tokens of all replicas. What one replica revokes, none finds any more. */
export interface AccessTokenTable {
  /** By the digest of its text. Expired ones are found, too. */
  find(digest: string): Promise<AccessToken | undefined>;
  /** Those of a user; without one, of everybody. By user, the newest first. */
  list(user?: string): Promise<readonly AccessToken[]>;
  /** Adds a token, unless its user has as many already, and forgets those that expired long ago. */
  add(token: AccessToken, most: number): Promise<'added' | 'full'>;
  /** Marks a token as used, and touches nothing else of it. */
  touch(id: string, usedAt: number): Promise<void>;
  /** Brings the tokens of somebody up to date. */
  renew(seen: SeenPerson): Promise<void>;
  /** Revokes a token; the answer is what it was. @param user whose it has to be; absent: anybody's */
  revoke(id: string, user?: string): Promise<AccessToken | undefined>;
  /** Gives a token of the user another text and another end, in place of those that it had; undefined where there is no such token. */
  rotate(id: string, user: string, next: Pick<AccessToken, 'digest' | 'createdAt' | 'expiresAt'>): Promise<AccessToken | undefined>;
  /** Counts a use, however many come at once on whichever replica; false when there were `most` already. */
  countUse(id: string, most: number): Promise<boolean>;
  /** Takes a use back, because nothing came of it. */
  returnUse(id: string): Promise<void>;
}

/** How long an expired token stays in lists, so that its user learns why a program stopped. */
export const EXPIRED_KEPT_MS = 30 * 24 * 3_600_000;

/** Tokens of one person. */
export const MAX_TOKENS = 50;

export const TOKEN_STATES = ['Active', 'Paused', 'Expired'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

/**
 * Whether a token works: `Paused` until its user signs in again.
 *
 * @param absence milliseconds without a sign-in after which tokens pause.
 */
export function tokenState(
  { expiresAt, seenAt }: Pick<AccessToken, 'expiresAt' | 'seenAt'>,
  { now, absence }: { readonly now: number; readonly absence: number },
): TokenState {
  if (now >= expiresAt) return 'Expired';
  return now - seenAt >= absence ? 'Paused' : 'Active';
}
