import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isSuccessorOf } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT, NAMESPACE, ROLE, ROLE_BINDING, SERVICE_ACCOUNT } from '../../domain/kubernetes/resource-types.ts';
import { textAt } from '../../domain/core/read.ts';
import { ownerOf } from './environment-objects.ts';
import type { EnvironmentSpec } from './environment-spec.ts';
import { labelNamespace } from './namespace.ts';
import type { EnvironmentPorts } from './ports.ts';

/*
 * An Environment that is renamed is two objects: the new one, which says in an annotation what its name was, and the old one, which is being deleted. The new one
 * takes the namespace over with all that people have in it, and the old one goes once that is done.
 */

type MoveCluster = Pick<EnvironmentPorts['cluster'], 'get' | 'list' | 'listMetadata' | 'patch'>;

/** These have the Environment as their owner, so that Kubernetes would delete them with it. */
const OWNED = [ROLE_BINDING, ROLE, SERVICE_ACCOUNT];

/** The Environment that takes the namespace of one that is being deleted; undefined without one. */
export async function findSuccessor(
  cluster: Pick<MoveCluster, 'list'>,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { items } = await cluster.list(ENVIRONMENT, { signal });
  return items.find((one) => isSuccessorOf(one, name) && (textAt(one.spec, 'namespace') ?? one.metadata.name) === namespace);
}

/** Whether an Environment has all that it consists of in the namespace, so that nothing there needs the former one. */
export function hasTaken(environment: KubeObject, namespace: KubeObject): boolean {
  return namespace.metadata.uid !== undefined && statusOf(ENVIRONMENT_KIND, environment).namespaceUID === namespace.metadata.uid;
}

interface TakeOver {
  readonly environment: KubeObject;
  readonly namespace: KubeObject;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
}

/** Takes a namespace over from the former Environment: first what its people have, so that the end of the former one deletes none of it, then the namespace. */
export async function takeOverNamespace(cluster: MoveCluster, { environment, namespace, spec, signal }: TakeOver): Promise<void> {
  await takeOverObjects(cluster, { environment, namespace: namespace.metadata.name, signal });
  await labelNamespace(cluster, environment, { namespace, spec, signal });
}

interface HandOver {
  /** The name of the former Environment. */
  readonly from: string;
  readonly to: KubeObject;
  readonly signal: AbortSignal;
}

/** Gives the namespaces that are dedicated to instances to the new Environment. The controller of instances puts the rest right. */
export async function handOverDedicated(cluster: MoveCluster, { from, to, signal }: HandOver): Promise<void> {
  const labelSelector = `${OURS.environmentLabel}=${from},${OURS.instanceUidLabel}`;
  const { items } = await cluster.listMetadata(NAMESPACE, { labelSelector, signal });
  for (const { metadata } of items) {
    await takeOverObjects(cluster, { environment: to, namespace: metadata.name, signal });
    const body = { metadata: { labels: { [OURS.environmentLabel]: to.metadata.name } } };
    await ifFound(
      cluster.patch({ ...NAMESPACE, name: metadata.name }, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal }),
    );
  }
}

async function takeOverObjects(
  cluster: MoveCluster,
  { environment, namespace, signal }: Pick<TakeOver, 'environment' | 'signal'> & { readonly namespace: string },
): Promise<void> {
  const labelSelector = `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}`;
  const labels = { [OURS.environmentLabel]: environment.metadata.name };
  const body = { metadata: { labels, ownerReferences: [ownerOf(environment)] } };
  const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal } as const;
  for (const type of OWNED) {
    const { items } = await cluster.listMetadata(type, { namespace, labelSelector, signal });
    for (const { metadata } of items)
      await ifFound(cluster.patch({ ...type, namespace, name: metadata.name }, { type: 'merge', body }, options));
  }
}
