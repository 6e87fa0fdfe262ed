import { OPERATOR, permissionTo } from '../domain/kubernetes/resource-types.ts';
import type { AccessLimits } from '../domain/kubernetes/access-limits.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Ports } from './ports.ts';

/** Who acts, and whether the admin pages are theirs: whoever may list Operators in all namespaces is an admin. */
export async function me(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
): Promise<{ user: string; groups: readonly string[]; admin: boolean; token?: TokenInUse }> {
  const verdict = await ports.clusters.asActor(actor).review(permissionTo('list', OPERATOR));
  const { user, groups, limits } = actor;
  return { user, groups, admin: verdict.allowed, ...(limits === undefined ? {} : { token: tokenOf(limits) }) };
}

/** The personal access token that a request came with. */
interface TokenInUse extends Pick<AccessLimits, 'id' | 'name' | 'scope'> {
  /** Names; absent: all that the user sees. */
  readonly environments?: readonly string[];
}

function tokenOf({ id, name, scope, environments }: AccessLimits): TokenInUse {
  return { id, name, scope, ...(environments === undefined ? {} : { environments: environments.map((one) => one.name) }) };
}
