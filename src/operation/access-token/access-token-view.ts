import { type AccessToken, type TokenState, tokenState } from '../../domain/access-token/access-token.ts';
import { beyondLimits, tokenWords, type TokenScope } from '../../domain/kubernetes/access-limits.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Ports } from '../ports.ts';

/** A personal access token as people see it: never its text. Times are ISO 8601 in UTC. */
export interface AccessTokenView {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** Names; absent: all environments of the user. */
  readonly environments?: readonly string[];
  readonly user: string;
  readonly created: string;
  readonly expires: string;
  /** To the minute; absent: never. */
  readonly lastUsed?: string;
  /** When the user signed in last, or a session of theirs was renewed. */
  readonly lastSignIn: string;
  readonly state: TokenState;
}

export function accessTokenView({ accessTokens: { now, absence } }: Pick<Ports, 'accessTokens'>, token: AccessToken): AccessTokenView {
  const { id, name, scope, environments, user, createdAt, expiresAt, usedAt, seenAt } = token;
  return {
    id,
    name,
    scope,
    ...(environments === undefined ? {} : { environments: environments.map((one) => one.name) }),
    user,
    created: isoOf(createdAt),
    expires: isoOf(expiresAt),
    ...(usedAt === undefined ? {} : { lastUsed: isoOf(usedAt) }),
    lastSignIn: isoOf(seenAt),
    state: tokenState(token, { now: now(), absence }),
  };
}

/** @throws AppError `Forbidden` for a request with a personal access token: whoever finds one neither makes more nor learns of others. */
export function rejectTokens({ limits }: Actor): void {
  if (limits === undefined) return;
  throw beyondLimits('personal access tokens', `${tokenWords(limits)} cannot create, list or revoke tokens; sign in for that`);
}

/** ISO 8601 in UTC. */
export function isoOf(time: number): string {
  return new Date(time).toISOString();
}
