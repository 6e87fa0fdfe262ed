import { OURS } from '../../../domain/kubernetes/names.ts';
import { type Publisher, publishRoles, unpublishRoles } from '../../publish-roles.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';
import { countedCrds, countRole, publishedCrds, rolesOf } from './app-roles.ts';

/**
 * Gives people permissions on what an Operator brings, by small ClusterRoles that Kubernetes aggregates into ours: two for each App, and one for each
 * kind by which admins count its instances. Those of Apps that are gone or hidden are removed.
 */
export async function publish(work: Work, crds: readonly CrdFact[]): Promise<void> {
  const { spec, label } = work;
  await publishRoles(publisherOf(work), [
    ...publishedCrds(crds, spec).flatMap((crd) => rolesOf(crd, label)),
    ...countedCrds(crds).map((crd) => countRole(crd, { [OURS.operatorLabel]: label })),
  ]);
}

/** Removes the permissions on all Apps of an Operator. */
export async function unpublish(work: Work): Promise<void> {
  await unpublishRoles(publisherOf(work));
}

function publisherOf({ ports, label, signal }: Work): Publisher {
  return { cluster: ports.cluster, label: OURS.operatorLabel, value: label, signal };
}
