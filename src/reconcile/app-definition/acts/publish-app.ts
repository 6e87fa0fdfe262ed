import { isDeepStrictEqual } from 'node:util';
import { generatedCrdName } from '../../../domain/app-definition/generated-crd.ts';
import type { GeneratedNames } from '../../../domain/app-definition/app-definition-kind.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { CLUSTER_ROLE } from '../../../domain/kubernetes/resource-types.ts';
import { type AppCrd, appRoles, countRole } from '../../operator/acts/app-roles.ts';
import type { DefinitionWork } from '../observe.ts';

/** Gives people permissions on the generated kind, by small ClusterRoles that Kubernetes aggregates into ours. */
export async function publishApp(work: DefinitionWork, names: GeneratedNames): Promise<void> {
  await publishApps(work, [{ name: generatedCrdName(names), group: OURS.appsGroup, plural: names.plural }]);
}

/** The same for kinds whoever made them, and for no others. */
export async function publishApps(work: DefinitionWork, crds: readonly AppCrd[]): Promise<void> {
  const { ports, definition, signal } = work;
  const owner = { [OURS.appDefinitionLabel]: definition.metadata.name };
  const live = await liveRoles(work);
  const wanted = crds.flatMap((crd) => [...appRoles(crd, owner), countRole(crd, owner)]);
  for (const role of wanted) {
    const known = live.find(({ metadata }) => metadata.name === role.metadata.name);
    if (known !== undefined && isDeepStrictEqual(known['rules'], role['rules'])) continue;
    await ports.cluster.apply(CLUSTER_ROLE, role, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  await remove(
    work,
    live.filter(({ metadata }) => !names.has(metadata.name)),
  );
}

/** Removes the permissions on the generated kind. */
export async function unpublishApp(work: DefinitionWork): Promise<void> {
  await remove(work, await liveRoles(work));
}

async function remove({ ports, signal }: DefinitionWork, roles: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of roles) await ifFound(ports.cluster.delete({ ...CLUSTER_ROLE, name: metadata.name }, { signal }));
}

async function liveRoles({ ports, definition, signal }: DefinitionWork): Promise<readonly KubeObject[]> {
  const labelSelector = `${OURS.appDefinitionLabel}=${definition.metadata.name}`;
  return (await ports.cluster.list(CLUSTER_ROLE, { labelSelector, signal })).items;
}
