import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { USUAL_TIERS, type EnvironmentView } from '../../domain/environment/environment.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { showEnvironment } from './show-environment.ts';
import type { Ports } from '../ports.ts';

/**
 * The Environments that the actor may see, production first, then by name. Which there are is known from the catalogue cache; whether the
 * actor may see one is asked of the api-server as the actor, for each.
 */
export async function listEnvironments(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor): Promise<readonly EnvironmentView[]> {
  const names = ports.catalog.environments().map(({ metadata }) => metadata.name);
  const found = await pMap(names, async (name) => await ifFound(showEnvironment(ports, actor, name)), { concurrency: 8 });
  return found
    .filter((view) => view !== undefined)
    .sort((a, b) => tierRank(a) - tierRank(b) || a.tier.localeCompare(b.tier) || a.name.localeCompare(b.name));
}

function tierRank({ tier }: EnvironmentView): number {
  const rank = USUAL_TIERS.findIndex((usual) => usual === tier);
  return rank < 0 ? USUAL_TIERS.length : rank;
}
