import { isDeepStrictEqual } from 'node:util';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE } from '../../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';
import { countedCrds, countRole, publishedCrds, rolesOf } from './app-roles.ts';

/**
 * Gives people permissions on what an Operator brings, by small ClusterRoles that Kubernetes aggregates into ours: two for each App, and one for each
 * kind by which admins count its instances. Those of Apps that are gone or hidden are removed.
 */
export async function publish(work: Work, crds: readonly CrdFact[]): Promise<void> {
  const { ports, spec, label, signal } = work;
  const wanted = [
    ...publishedCrds(crds, spec).flatMap((crd) => rolesOf(crd, label)),
    ...countedCrds(crds).map((crd) => countRole(crd, { [OURS.operatorLabel]: label })),
  ];
  const live = await liveRoles(work);
  for (const role of wanted) {
    const known = live.find(({ metadata }) => metadata.name === role.metadata.name);
    if (known !== undefined && isDeepStrictEqual(known['rules'], role['rules'])) continue;
    await ports.cluster.apply(CLUSTER_ROLE, role, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
  const names = new Set(wanted.map((role) => role.metadata.name));
  await remove(
    work,
    live.filter(({ metadata }) => !names.has(metadata.name)),
  );
}

/** Removes the permissions on all Apps of an Operator. */
export async function unpublish(work: Work): Promise<void> {
  await remove(work, await liveRoles(work));
}

async function liveRoles({ ports, label, signal }: Work): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CLUSTER_ROLE, { labelSelector: `${OURS.operatorLabel}=${label}`, signal })).items;
}

async function remove({ ports, signal }: Work, roles: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of roles) {
    await ifFound(ports.cluster.delete({ ...CLUSTER_ROLE, name: metadata.name }, { signal }));
  }
}
