import { OURS } from '../../domain/names.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { labelsOf, namespaceLabels } from './environment-objects.ts';
import type { EnvironmentSpec } from './environment-spec.ts';
import { NAMESPACE } from './environment-type.ts';
import type { EnvironmentPorts } from './ports.ts';

type ClusterPart = EnvironmentPorts['cluster'];

/** Makes the namespace. It is created and not applied, so that of two Environments that ask for one name only one gets it. */
export async function createNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  { spec, signal }: { spec: EnvironmentSpec; signal: AbortSignal },
): Promise<void> {
  const metadata = { name: spec.namespace, labels: namespaceLabels(environment, spec) };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata };
  await cluster.create(NAMESPACE, namespace, { fieldManager: OURS.fieldManager, signal });
}

/** Gives the namespace the labels of the Environment, if it is still the one that was read. Does nothing when it has them. */
export async function labelNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  input: { namespace: KubeObject; spec: EnvironmentSpec; signal: AbortSignal },
): Promise<void> {
  const labels = Object.entries(namespaceLabels(environment, input.spec));
  if (labels.every(([key, value]) => input.namespace.metadata.labels?.[key] === value)) return;
  await patchLabels(cluster, input, Object.fromEntries(labels));
}

/** Takes the Environment's labels off a namespace, so that it belongs to nobody. Those of Pod Security stay: what runs there is no safer than before. */
export async function disownNamespace(
  cluster: ClusterPart,
  environment: KubeObject,
  input: { namespace: KubeObject; signal: AbortSignal },
): Promise<void> {
  await patchLabels(cluster, input, Object.fromEntries(Object.keys(labelsOf(environment)).map((label) => [label, null])));
}

/** Asks for the deletion of the namespace, if it is still the one that was read. */
export async function removeNamespace(cluster: ClusterPart, input: { namespace: KubeObject; signal: AbortSignal }): Promise<void> {
  const { name, uid } = input.namespace.metadata;
  await cluster.delete({ ...NAMESPACE, name }, { signal: input.signal, ...(uid === undefined ? {} : { uid }) });
}

async function patchLabels(
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
