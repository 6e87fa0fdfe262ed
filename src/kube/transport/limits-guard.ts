import { beyondLimits, limitReason } from '../../domain/kubernetes/access-limits.ts';
import type { ResourceAttributes } from '../../domain/kubernetes/cluster.ts';
import type { Call, Identity } from './call.ts';

/**
 * Lets no call out that the personal access token of the request is not for.
 *
 * @throws AppError `Forbidden`, before anything leaves.
 */
export function guardLimits({ identity, path, permission, what }: Call): void {
  const limits = limitsOf(identity);
  if (limits === undefined) return;
  // A call that names no permission could be any.
  const reason = permission === undefined ? 'it is not for personal access tokens' : limitReason(limits, tried(permission, path));
  if (reason !== undefined) throw beyondLimits(what, reason, permission);
}

/** Why the token of an identity does not let it do something, whatever the api-server would say; undefined when it does. */
export function limitOfReview(identity: Identity, attributes: ResourceAttributes): string | undefined {
  const limits = limitsOf(identity);
  return limits === undefined ? undefined : limitReason(limits, attributes);
}

/** What is only tried is a reading. */
function tried(permission: NonNullable<Call['permission']>, path: string): NonNullable<Call['permission']> {
  return new URL(path, 'http://local.invalid').searchParams.get('dryRun') === 'All' ? { ...permission, verb: 'get' } : permission;
}

function limitsOf(identity: Identity) {
  return identity.kind === 'actor' || identity.kind === 'dryRun' ? identity.actor.limits : undefined;
}
