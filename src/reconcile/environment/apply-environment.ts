import { AppError, isAppError } from '../../domain/core/errors.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { meshKind, meshSentence } from '../../domain/environment/mesh.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import {
  LIMIT_RANGE,
  NETWORK_POLICY,
  RESOURCE_QUOTA,
  ROLE,
  ROLE_BINDING,
  SECRET,
  SERVICE_ACCOUNT,
} from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { keepAppsPolicy } from './apps-policy.ts';
import { applyAppDeployer, isOwnAccount, keepsDeployer, type WantedDeployers } from './app-deployers.ts';
import { appQuota, peopleObjects, policyObjects, type Placed } from './environment-objects.ts';
import { ACCOUNTS_ANNOTATION, type EnvironmentSpec } from './environment-spec.ts';
import { reportForeignGrants } from './foreign-grants.ts';
import { labelNamespace, markMesh } from './namespace.ts';
import type { EnvironmentPorts } from './ports.ts';

/** Of these an Environment may ask for fewer than before. */
const PRUNED: readonly ResourceType[] = [ROLE_BINDING, ROLE, SERVICE_ACCOUNT, RESOURCE_QUOTA, LIMIT_RANGE, NETWORK_POLICY];

/** A namespace of an Environment, and what it is to be. */
export interface AppliedNamespace {
  readonly environment: KubeObject;
  readonly namespace: KubeObject;
  readonly spec: EnvironmentSpec;
  /** The deployers of apps, as they are wanted now. Default: none. */
  readonly deployers?: () => WantedDeployers;
}

type NamespacePorts = {
  readonly cluster: Pick<EnvironmentPorts['cluster'], 'get' | 'list' | 'listMetadata' | 'apply' | 'patch' | 'delete'>;
  readonly discovery: EnvironmentPorts['discovery'];
};

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/**
 * Applies what the Environment consists of and removes what it no longer asks for.
 *
 * @returns what is true of it now, beside that it is ready.
 */
export async function applyEnvironment(
  ports: Pick<EnvironmentPorts, 'cluster' | 'discovery' | 'apps' | 'operatorKinds' | 'appLimits' | 'appDeployers' | 'grants'>,
  applied: Omit<AppliedNamespace, 'deployers'>,
  signal: AbortSignal,
): Promise<readonly ConditionInput[]> {
  const { environment, spec } = applied;
  await keepAppsPolicy(ports, { environment, spec, signal });
  const deployers = (): WantedDeployers => ports.appDeployers(spec.namespace);
  const ofMesh = await applyNamespace(ports, { ...applied, deployers, also: appQuota(environment, spec, ports.appLimits().hard) }, signal);
  await applyAppDeployers(ports.cluster, { ...applied, deployers }, signal);
  return [...meshConditions(applied, ofMesh), ...(await reportForeignGrants(ports, applied, signal))];
}

/** One that cannot be applied stops the instances of its app alone, and they say why. */
async function applyAppDeployers(
  cluster: NamespacePorts['cluster'],
  { deployers, ...place }: Required<AppliedNamespace>,
  signal: AbortSignal,
): Promise<void> {
  for (const deployer of deployers().deployers)
    await applyAppDeployer(cluster, place, { deployer, signal }).catch((error: unknown) => {
      if (!isAppError(error, 'Forbidden', 'InvalidInput')) throw error;
    });
}

const NO_DEPLOYERS: WantedDeployers = { deployers: [], isListed: true };

/**
 * Applies what a namespace of an Environment consists of, its own or one that is dedicated to an instance, and removes what it no longer asks for: first the level of
 * Pod Security, the permissions that are gone and those that people have, so that nothing else that fails keeps people out; then the rest.
 *
 * @returns the kind of the mesh that the Environment asks for, where the cluster serves it.
 */
export async function applyNamespace(
  { cluster, discovery }: NamespacePorts,
  { also = [], ...applied }: AppliedNamespace & { readonly also?: readonly Placed[] },
  signal: AbortSignal,
): Promise<ServedKind | undefined> {
  const { environment, namespace, spec, deployers = () => NO_DEPLOYERS } = applied;
  await removeDeployerTokens(cluster, namespace, signal);
  await labelNamespace(cluster, environment, { ...applied, signal });
  await applyPeople({ cluster, discovery }, applied, signal);
  await rejectForeignAccounts(cluster, applied, signal);
  await markMesh(cluster, { ...applied, signal });
  const { ofMesh, istio } = await meshKinds(discovery, spec, signal);
  const objects = [...policyObjects(environment, spec, ofMesh), ...also];
  const types = [...PRUNED, ...(istio === undefined ? [] : [istio])];
  const kept = peopleObjects(environment, spec);
  const isKept = keepsDeployer({ environment, spec }, deployers);
  await applyObjects({ cluster, discovery }, { namespace: spec.namespace, types, objects, kept, isKept }, signal);
  return ofMesh;
}

async function applyPeople(
  ports: NamespacePorts,
  { environment, spec, deployers = () => NO_DEPLOYERS }: AppliedNamespace,
  signal: AbortSignal,
): Promise<void> {
  const objects = peopleObjects(environment, spec);
  const kept = policyObjects(environment, spec);
  const isKept = keepsDeployer({ environment, spec }, deployers);
  await applyObjects(ports, { namespace: spec.namespace, types: [ROLE_BINDING], objects, kept, isKept }, signal);
}

interface AppliedObjects {
  readonly namespace: string;
  /** Of these, what is neither among the objects nor kept goes. */
  readonly types: readonly ResourceType[];
  readonly objects: readonly Placed[];
  readonly kept?: readonly Placed[];
  /** What else stays. Default: nothing. */
  readonly isKept?: (type: ResourceType, object: KubeObject) => boolean;
}

/** Applies objects of a namespace of an Environment, after what is there of the same types and no longer wanted has gone. */
export async function applyObjects(
  { cluster, discovery }: NamespacePorts,
  { namespace, types, objects, kept: also = [], isKept = () => false }: AppliedObjects,
  signal: AbortSignal,
): Promise<void> {
  for (const type of types) {
    const kept = new Set([...objects, ...also].filter((placed) => placed.type === type).map((placed) => keyOf(placed.object)));
    await removeManagedObjects(cluster, { type, namespace, keep: (object) => kept.has(keyOf(object)) || isKept(type, object) }, signal);
  }
  for (const { type, object } of objects) {
    await cluster.apply(type, object, { fieldManager: OURS.fieldManager, force: 'force', signal }).catch((error: unknown) => {
      if (isAppError(error, 'NotFound')) discovery.invalidate();
      throw error;
    });
  }
}

interface MeshKinds {
  /** That of the mesh that the Environment asks for. */
  readonly ofMesh: ServedKind | undefined;
  readonly istio: ServedKind | undefined;
}

/** The kinds of meshes that the cluster serves. What is cached may be older than the mesh. */
async function meshKinds(discovery: EnvironmentPorts['discovery'], { mesh }: EnvironmentSpec, signal: AbortSignal): Promise<MeshKinds> {
  const read = async (): Promise<MeshKinds> => {
    const kinds = await discovery.kinds(signal);
    return { ofMesh: mesh && servedKind(kinds, meshKind(mesh)), istio: servedKind(kinds, meshKind({ provider: 'Istio' })) };
  };
  const known = await read();
  if (mesh === undefined || known.ofMesh !== undefined) return known;
  discovery.invalidate();
  return await read();
}

function servedKind(
  kinds: readonly ServedKind[],
  { group, kind }: { readonly group: string; readonly kind: string },
): ServedKind | undefined {
  return kinds.find((served) => served.group === group && served.kind === kind);
}

/** Whether the mesh that the Environment asks for is there. */
function meshConditions({ environment, spec: { mesh } }: AppliedNamespace, served: ServedKind | undefined): ConditionInput[] {
  if (mesh === undefined) return [];
  const { group, kind } = meshKind(mesh);
  const condition = { type: 'MeshReady', observedGeneration: environment.metadata.generation ?? 0 };
  if (served !== undefined) return [{ ...condition, status: 'True', reason: 'Applied', message: meshSentence(mesh) }];
  const message = `${mesh.provider} is not installed: the cluster does not serve ${kind} of ${group}. Install ${mesh.provider}; the namespace is already marked for it`;
  return [{ ...condition, status: 'False', reason: 'MeshNotServed', message }];
}

/**
 * An account that somebody else made may do more than its role says, and members would get tokens for it.
 *
 * @throws AppError `InvalidInput` that names it.
 */
async function rejectForeignAccounts(
  cluster: NamespacePorts['cluster'],
  { environment, spec }: AppliedNamespace,
  signal: AbortSignal,
): Promise<void> {
  for (const name of [DEPLOYER, ...spec.accounts.map((account) => account.name)]) {
    const live = await ifFound(cluster.get({ ...SERVICE_ACCOUNT, namespace: spec.namespace, name }, { signal, answer: 'metadata' }));
    if (live === undefined || isOwnAccount(live, { environment, spec })) continue;
    const remedy = name === DEPLOYER ? 'delete it, Chandlery creates its own' : 'choose another name';
    const where = `${name === DEPLOYER ? 'deployer' : 'spec.serviceAccounts'}: ${JSON.stringify(name)}`;
    throw new AppError('InvalidInput', `${where}: namespace ${spec.namespace} already has a ServiceAccount of this name; ${remedy}`);
  }
}

interface Removal {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly keep: (object: KubeObject) => boolean;
}

/** Removes the objects of a type that Chandlery made for an Environment, also under a former name, and that are not kept. */
export async function removeManagedObjects(cluster: NamespacePorts['cluster'], removal: Removal, signal: AbortSignal): Promise<void> {
  const { type, namespace, keep } = removal;
  const labelSelector = `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}`;
  // The CRD of a mesh may have gone since its kinds were read.
  const live = await ifFound(cluster.list(type, { namespace, labelSelector, signal }));
  for (const { metadata } of (live?.items ?? []).filter((object) => !keep(object))) {
    await cluster.delete(
      { ...type, namespace, name: metadata.name },
      { signal, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) },
    );
  }
}

/**
 * Whoever has a token of the deployer deploys as Chandlery does. Chandlery needs none, and once the namespace names the deployer, admission policies allow no
 * Secret with one; those of earlier versions go before.
 */
async function removeDeployerTokens(cluster: NamespacePorts['cluster'], { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
  const { name: namespace, annotations = {} } = metadata;
  if (annotations[ACCOUNTS_ANNOTATION]?.split(',').includes(DEPLOYER) === true) return;
  const { items } = await cluster.listMetadata(SECRET, { namespace, fieldSelector: `type=${TOKEN_TYPE}`, signal });
  for (const secret of items.filter((item) => item.metadata.annotations?.[ACCOUNT_ANNOTATION] === DEPLOYER)) {
    await ifFound(cluster.delete({ ...SECRET, namespace, name: secret.metadata.name }, { signal }));
  }
}
