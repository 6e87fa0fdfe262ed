import { ifFound } from '../../domain/kubernetes/if-found.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { visibilityName } from './environment-objects.ts';
import { removeOurs } from './apply-environment.ts';
import { disownNamespace } from './namespace.ts';
import type { EnvironmentPorts } from './ports.ts';

/** Takes the rights of the Environment's people away, then our label; everything else in the namespace stays. */
export async function releaseNamespace(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  input: { readonly namespace: KubeObject; readonly signal: AbortSignal },
): Promise<void> {
  const namespace = input.namespace.metadata.name;
  await removeOurs(cluster, { type: ROLE_BINDING, environment, namespace, keep: () => false }, input.signal);
  await disownNamespace(cluster, environment, input);
}

/** Removes what lets people see the Environment. */
export async function hide(cluster: EnvironmentPorts['cluster'], environment: KubeObject, signal: AbortSignal): Promise<void> {
  for (const type of [CLUSTER_ROLE_BINDING, CLUSTER_ROLE]) {
    await ifFound(cluster.delete({ ...type, name: visibilityName(environment) }, { signal }));
  }
}
