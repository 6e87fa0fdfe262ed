import { generatedCrdName } from '../../../domain/app-definition/generated-crd.ts';
import type { GeneratedNames } from '../../../domain/app-definition/app-definition-kind.ts';
import { appDeployerOf } from '../../../domain/app-definition/app-deployer.ts';
import { DEPLOYER } from '../../../domain/environment/deployer.ts';
import { hasFinalizer } from '../../../domain/kubernetes/finalizers.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { type AppCrd, appRoles, countRole, deployerRole } from '../../operator/acts/app-roles.ts';
import { type Publisher, publishRoles, unpublishRoles } from '../../publish-roles.ts';
import type { DefinitionWork } from '../observe.ts';
import { listInShort } from '../../../domain/core/name-words.ts';
import type { ReconcileResult } from '../../../controller/controller.ts';
import { publishedCrds } from '../../../domain/app-definition/published-crds.ts';
import { textAt } from '../../../domain/core/read.ts';
import { isConditionTrue } from '../../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { APP_DEFINITION } from '../../../domain/kubernetes/resource-types.ts';
import { addFinalizer } from '../../finalizer.ts';
import { isTrue } from '../../conditions.ts';
import { report } from '../report.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const NAMED = 10;

/** Publishes the kinds of CRDs that somebody else installed: permissions and catalogue entries, and nothing of the CRDs themselves. */
export async function publishCrds(work: DefinitionWork): Promise<ReconcileResult> {
  const { ports, definition, spec, signal } = work;
  if (!hasFinalizer(definition)) {
    await addFinalizer(ports.cluster, { type: APP_DEFINITION, object: definition, signal });
    return AT_ONCE;
  }
  if (spec.suspend) {
    await report(work, {
      kind: 'Suspended',
      reason: 'Suspended',
      message: 'The AppDefinition is suspended; set spec.suspend to false to continue',
    });
    return {};
  }
  const all = ports.crds.all();
  const owners = publishedCrds(ports.definitions.all(), all);
  const own = all.filter(({ metadata }) => owners.get(metadata.name) === definition.metadata.name);
  await publishApps(work, own.map(appOf));
  await reportPublished(work, own.filter(isEstablished));
  return { requeueAfter: spec.interval };
}

async function reportPublished(work: DefinitionWork, own: readonly KubeObject[]): Promise<void> {
  const published = own.map(({ metadata }) => metadata.name).sort();
  if (published.length === 0) {
    const message =
      'No CRD that the api-server serves is selected by spec.crds and free to be published: cluster-scoped kinds, those of Operators, and those of another AppDefinition are not. Correct spec.crds, or install what brings the CRD';
    await report(work, { kind: 'Stalled', reason: 'CrdMissing', message, found: { published } });
    return;
  }
  const names = listInShort(published, NAMED);
  const also = [isTrue('CRDEstablished', 'Established', names)];
  await report(work, { kind: 'Ready', reason: 'Ready', message: `Published: ${names}`, also, found: { published } });
}

function isEstablished(crd: KubeObject): boolean {
  return isConditionTrue(crd, 'Established');
}

function appOf({ metadata: { name }, spec }: KubeObject): { name: string; group: string; plural: string } {
  return { name, group: textAt(spec, 'group') ?? '', plural: textAt(spec, 'names', 'plural') ?? '' };
}

/** Gives people permissions on the generated kind, by small ClusterRoles that Kubernetes aggregates into ours. */
export async function publishApp(work: DefinitionWork, names: GeneratedNames): Promise<void> {
  const crd = { name: generatedCrdName(names), group: OURS.appsGroup, plural: names.plural };
  await publishApps(work, [crd], await deployerRoles(work, crd));
}

/** Before the first release, the controller may act as the deployer of the app, where that has its own. */
async function deployerRoles({ ports, definition, signal }: DefinitionWork, crd: AppCrd): Promise<readonly KubeObject[]> {
  const account = appDeployerOf(definition)?.account;
  if (account === undefined) return [];
  const asked = { verb: 'impersonate', group: '', resource: 'serviceaccounts', name: DEPLOYER };
  const { allowed } = await ports.cluster.review(asked, { signal });
  return [deployerRole(crd, ownerOf(definition), { account, legacy: allowed })];
}

function ownerOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return { [OURS.appDefinitionLabel]: metadata.name };
}

/** The same for kinds whoever made them, and for no others. */
async function publishApps(work: DefinitionWork, crds: readonly AppCrd[], also: readonly KubeObject[] = []): Promise<void> {
  const owner = ownerOf(work.definition);
  await publishRoles(publisherOf(work), [...crds.flatMap((crd) => [...appRoles(crd, owner), countRole(crd, owner)]), ...also]);
}

/** Removes the permissions on the generated kind. */
export async function unpublishApp(work: DefinitionWork): Promise<void> {
  await unpublishRoles(publisherOf(work));
}

function publisherOf({ ports, definition, signal }: DefinitionWork): Publisher {
  return { cluster: ports.cluster, label: OURS.appDefinitionLabel, value: definition.metadata.name, signal };
}
