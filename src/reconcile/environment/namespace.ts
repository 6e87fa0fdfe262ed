import { OURS } from '../../domain/names.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { labelsOf } from './environment-objects.ts';
import { NAMESPACE } from './environment-type.ts';
import type { EnvironmentPorts } from './ports.ts';

type ClusterPart = EnvironmentPorts['cluster'];

/** Makes the namespace. It is created and not applied, so that of two Environments that ask for one name only one gets it. */
export async function createNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  input: { name: string; signal: AbortSignal },
): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: input.name, labels: labelsOf(environment) } };
  await cluster.create(NAMESPACE, namespace, { fieldManager: OURS.fieldManager, signal: input.signal });
}

/** Labels a namespace that nobody owns, if it is still the one that was read. */
export async function adoptNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  input: { namespace: KubeObject; signal: AbortSignal },
): Promise<void> {
  await labelNamespace(cluster, input, labelsOf(environment));
}

/** Takes the Environment's labels off a namespace, so that it belongs to nobody. */
export async function disownNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  input: { namespace: KubeObject; signal: AbortSignal },
): Promise<void> {
  await labelNamespace(cluster, input, Object.fromEntries(Object.keys(labelsOf(environment)).map((label) => [label, null])));
}

/** Asks for the deletion of the namespace, if it is still the one that was read. */
export async function removeNamespace(cluster: ClusterPart, input: { namespace: KubeObject; signal: AbortSignal }): Promise<void> {
  const { name, uid } = input.namespace.metadata;
  await cluster.delete({ ...NAMESPACE, name }, { signal: input.signal, ...(uid === undefined ? {} : { uid }) });
}

async function labelNamespace(
  cluster: ClusterPart,
  { namespace, signal }: { namespace: KubeObject; signal: AbortSignal },
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { name, resourceVersion } = namespace.metadata;
  await cluster.patch(
    { ...NAMESPACE, name },
    { type: 'merge', body: { metadata: { resourceVersion, labels } } },
    { fieldManager: OURS.fieldManager, signal },
  );
}
