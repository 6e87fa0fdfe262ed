import { OPERATOR, permissionTo } from '../domain/kubernetes/resource-types.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Ports } from './ports.ts';

/** Who acts, and whether the admin pages are theirs: whoever may list Operators in all namespaces is an admin. */
export async function me(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
): Promise<{ user: string; groups: readonly string[]; admin: boolean }> {
  const verdict = await ports.clusters.asActor(actor).review(permissionTo('list', OPERATOR));
  return { user: actor.user, groups: actor.groups, admin: verdict.allowed };
}
