import { parseActor, type Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';

/** As whom a call is made. There is no default: each call names its identity. */
export type Identity =
  | { readonly kind: 'controller' }
  | { readonly kind: 'actor'; readonly actor: Actor }
  /** The controller, who only tries something for the actor: see `guardTrial`. */
  | { readonly kind: 'dryRun'; readonly actor: Actor };

export type ImpersonationHeaders = Readonly<Record<string, string | string[]>>;

/**
 * The impersonation headers of an identity; none for the controller, whoever it tries something for. Checks the actor again, however it was made.
 *
 * @throws AppError `ActorMissing` when user or groups are empty, reserved for the cluster, or cannot be sent unchanged in a header.
 */
export function impersonationHeaders(identity: Identity): ImpersonationHeaders {
  if (identity.kind === 'controller') return {};
  const { user, groups } = parseActor(identity.actor.user, identity.actor.groups);
  const padded = [user, ...groups].find((name) => name !== name.trim());
  if (padded !== undefined) throw new AppError('ActorMissing', `actor: ${JSON.stringify(padded)} begins or ends with a space`);
  if (identity.kind === 'dryRun') return {};
  return { 'impersonate-user': user, 'impersonate-group': [...groups] };
}
