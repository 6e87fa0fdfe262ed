import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { LIMIT_RANGE, RESOURCE_QUOTA, ROLE_BINDING, SECRET, SERVICE_ACCOUNT } from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject, type ResourceType } from '../../domain/kubernetes/resource.ts';
import { environmentObjects } from './environment-objects.ts';
import { DEPLOYER, type EnvironmentSpec } from './environment-spec.ts';
import { labelNamespace } from './namespace.ts';
import type { EnvironmentPorts } from './ports.ts';

/** Of these an Environment may ask for fewer than before. */
const PRUNED: readonly ResourceType[] = [ROLE_BINDING, RESOURCE_QUOTA, LIMIT_RANGE];

interface AppliedEnvironment {
  readonly environment: KubeObject;
  readonly namespace: KubeObject;
  readonly spec: EnvironmentSpec;
}

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/**
 * Applies what the Environment consists of and removes what it no longer asks for: first the level of Pod Security and the permissions that are gone, then
 * the rest.
 */
export async function applyEnvironment(
  cluster: EnvironmentPorts['cluster'],
  applied: AppliedEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { environment, spec } = applied;
  await labelNamespace(cluster, environment, { ...applied, signal });
  const wanted = environmentObjects(environment, spec);
  for (const type of PRUNED) {
    const kept = new Set(wanted.filter((placed) => placed.type === type).map((placed) => keyOf(placed.object)));
    await removeManagedObjects(
      cluster,
      { type, environment, namespace: spec.namespace, keep: (object) => kept.has(keyOf(object)) },
      signal,
    );
  }
  await removeDeployer(cluster, spec.namespace, signal);
  for (const { type, object } of wanted) {
    await cluster.apply(type, object, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
}

interface Removal {
  readonly type: ResourceType;
  readonly environment: KubeObject;
  readonly namespace: string;
  readonly keep: (object: KubeObject) => boolean;
}

/** Removes the objects of a type that carry the Environment's label and are not kept. */
export async function removeManagedObjects(cluster: EnvironmentPorts['cluster'], removal: Removal, signal: AbortSignal): Promise<void> {
  const { type, environment, namespace, keep } = removal;
  const labelSelector = `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}=${environment.metadata.name}`;
  const { items } = await cluster.list(type, { namespace, labelSelector, signal });
  for (const { metadata } of items.filter((object) => !keep(object))) {
    await cluster.delete(
      { ...type, namespace, name: metadata.name },
      { signal, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) },
    );
  }
}

/**
 * Removes the service account that earlier versions made in each namespace, and the tokens that somebody had made for it. Nothing used it, but whoever could
 * create Secrets could become it. Its RoleBinding goes with those that the Environment no longer asks for.
 */
async function removeDeployer(cluster: EnvironmentPorts['cluster'], namespace: string, signal: AbortSignal): Promise<void> {
  const account = { ...SERVICE_ACCOUNT, namespace, name: DEPLOYER };
  const live = await ifFound(cluster.get(account, { signal }));
  if (live?.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'chandlery') return;
  const { items } = await cluster.listMetadata(SECRET, { namespace, fieldSelector: `type=${TOKEN_TYPE}`, signal });
  for (const { metadata } of items.filter((secret) => secret.metadata.annotations?.[ACCOUNT_ANNOTATION] === DEPLOYER)) {
    // Kubernetes removes the tokens of an account that is gone, too.
    await ifFound(cluster.delete({ ...SECRET, namespace, name: metadata.name }, { signal }));
  }
  // Last, so that a removal that is cut short begins anew.
  await ifFound(cluster.delete(account, { signal }));
}
