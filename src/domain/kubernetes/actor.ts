import { AppError } from '../core/errors.ts';
import { stringifyJson } from '../core/exact-json.ts';
import type { AccessLimits } from './access-limits.ts';

/** Who acts: the user name and the groups exactly as the api-server sees them (prefixes included). Never empty. */
export interface Actor {
  readonly user: string;
  readonly groups: readonly string[];
  /** What the personal access token of the request leaves of that; absent: everything. */
  readonly limits?: AccessLimits;
}

/** The same for actors with the same permissions: what is kept for one of them is for no other. */
export function actorKey({ user, groups, limits }: Actor): string {
  return stringifyJson(limits === undefined ? [user, groups] : [user, groups, limits]);
}

/** The group of everybody who is signed in. No issuer can hand it out, because names of issuers carry another prefix. */
export const EVERYBODY = 'chandlery:signed-in';

/**
 * Makes an actor of a user name and groups that already carry their prefixes.
 *
 * @throws AppError `ActorMissing` when the user or the groups are empty, or when one of them is a `system:` name, which only the cluster hands out.
 */
export function parseActor(user: string, groups: readonly string[]): Actor {
  const named = groups.filter((group) => group.trim() !== '');
  if (user.trim() === '') throw new AppError('ActorMissing', 'actor: the user name is empty');
  if (named.length === 0) throw new AppError('ActorMissing', `actor "${user}": no groups; every user needs at least one`);
  const reserved = [user, ...named].find((name) => name.startsWith('system:'));
  if (reserved !== undefined) throw new AppError('ActorMissing', `actor "${user}": the name "${reserved}" is reserved for the cluster`);
  const unprintable = [user, ...named].find((name) => /[^\x20-\x7e]/.test(name));
  if (unprintable !== undefined) throw new AppError('ActorMissing', `actor: ${JSON.stringify(unprintable)} cannot be sent in a header`);
  return { user, groups: [...new Set(named)].sort() };
}
