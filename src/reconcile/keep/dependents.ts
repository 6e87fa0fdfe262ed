import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '../../domain/kubernetes/resource.ts';
import {
  APP_DEFINITION,
  APP_REVISION,
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  ENVIRONMENT,
  type KnownType,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../domain/kubernetes/resource-types.ts';

type DependentsCluster = Pick<Cluster, 'listMetadata' | 'patch'>;

interface Owner {
  readonly type: KnownType;
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

interface Dependents {
  readonly types: readonly ResourceType[];
  readonly labelSelector: string;
}

/** What Kubernetes would delete with an object, because the object owns it. */
function dependentsOf({ type, object }: Owner): Dependents {
  const { name } = object.metadata;
  if (type === APP_DEFINITION) return { types: [APP_REVISION], labelSelector: `${OURS.appDefinitionLabel}=${name}` };
  if (type !== ENVIRONMENT) return { types: [], labelSelector: '' };
  const types = [ROLE_BINDING, ROLE, SERVICE_ACCOUNT, CLUSTER_ROLE, CLUSTER_ROLE_BINDING];
  return { types, labelSelector: `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}=${name}` };
}

/** Takes an object away as the owner of what depends on it, so that the garbage collector leaves that alone. */
export async function releaseDependents(cluster: DependentsCluster, owner: Owner): Promise<void> {
  const { uid } = owner.object.metadata;
  await changeOwners(cluster, owner, (owners) => owners.filter((one) => one.uid !== uid));
}

/** Makes an object the owner of what depends on it. */
export async function adoptDependents(cluster: DependentsCluster, owner: Owner): Promise<void> {
  const { name, uid = '' } = owner.object.metadata;
  const reference = { apiVersion: apiVersionOf(owner.type), kind: owner.type.kind, name, uid };
  await changeOwners(cluster, owner, (owners) => (owners.some((one) => one.uid === uid) ? owners : [...owners, reference]));
}

async function changeOwners(
  cluster: DependentsCluster,
  owner: Owner,
  change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
): Promise<void> {
  const { types, labelSelector } = dependentsOf(owner);
  const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal: owner.signal } as const;
  for (const type of types) {
    const { items } = await cluster.listMetadata(type, { labelSelector, signal: owner.signal });
    for (const { metadata } of items) {
      const { name, namespace, ownerReferences: before = [] } = metadata;
      const ownerReferences = change(before);
      if (ownerReferences.length === before.length) continue;
      const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
      await ifFound(cluster.patch(ref, { type: 'merge', body: { metadata: { ownerReferences } } }, options));
    }
  }
}
