import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { InstanceCount } from '../../domain/operator/operator-instances.ts';
import type { Ports } from '../ports.ts';
import { type ServedCrd, servedCrds } from './served-crds.ts';

/** Kinds that are counted for one page at most; whoever wants more asks for one Operator. */
const MOST_KINDS = 100;
const PAGE = 500;

/**
 * How many instances each kind has in the whole cluster, counted as the actor: one short list of metadata for each kind, because the api-server
 * tells how many follow.
 *
 * @param names of CustomResourceDefinitions; those beyond the first hundred, and those that are not served, have no count.
 */
export async function countInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  names: readonly string[],
): Promise<ReadonlyMap<string, InstanceCount>> {
  const cluster = ports.clusters.asActor(actor);
  const crds = servedCrds(ports, [...new Set(names)].slice(0, MOST_KINDS));
  const counts = await pMap(crds, async (crd) => [crd.name, await countOf(cluster, crd)] as const, { concurrency: 8 });
  return new Map(counts);
}

async function countOf(cluster: Pick<Cluster, 'pages'>, crd: ServedCrd): Promise<InstanceCount> {
  try {
    return { count: await total(cluster, crd) };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { count: 0 };
    if (isAppError(error) && error.unanswered !== undefined) return { unavailable: error.faults[0]?.message ?? error.message };
    if (!isAppError(error, 'Forbidden')) throw error;
    return { missing: error.missing ?? { verb: 'list', group: crd.group, resource: crd.resource } };
  }
}

/** The first page tells how many follow; an api-server that keeps it to itself is read to the end. */
async function total(cluster: Pick<Cluster, 'pages'>, { group, version, resource }: ServedCrd): Promise<number> {
  let count = 0;
  for await (const { items, remaining } of cluster.pages({ group, version, resource }, { content: 'metadata', size: PAGE })) {
    count += items.length;
    if (remaining > 0) return count + remaining;
  }
  return count;
}
