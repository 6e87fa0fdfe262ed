import { generatedCrdName } from '../../../domain/app-definition/generated-crd.ts';
import type { GeneratedNames } from '../../../domain/app-definition/app-definition-kind.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { type AppCrd, appRoles, countRole } from '../../operator/acts/app-roles.ts';
import { type Publisher, publishRoles, unpublishRoles } from '../../publish-roles.ts';
import type { DefinitionWork } from '../observe.ts';

/** Gives people permissions on the generated kind, by small ClusterRoles that Kubernetes aggregates into ours. */
export async function publishApp(work: DefinitionWork, names: GeneratedNames): Promise<void> {
  await publishApps(work, [{ name: generatedCrdName(names), group: OURS.appsGroup, plural: names.plural }]);
}

/** The same for kinds whoever made them, and for no others. */
export async function publishApps(work: DefinitionWork, crds: readonly AppCrd[]): Promise<void> {
  const owner = { [OURS.appDefinitionLabel]: work.definition.metadata.name };
  await publishRoles(
    publisherOf(work),
    crds.flatMap((crd) => [...appRoles(crd, owner), countRole(crd, owner)]),
  );
}

/** Removes the permissions on the generated kind. */
export async function unpublishApp(work: DefinitionWork): Promise<void> {
  await unpublishRoles(publisherOf(work));
}

function publisherOf({ ports, definition, signal }: DefinitionWork): Publisher {
  return { cluster: ports.cluster, label: OURS.appDefinitionLabel, value: definition.metadata.name, signal };
}
