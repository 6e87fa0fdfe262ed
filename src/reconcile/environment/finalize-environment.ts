import { ifFound } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  ENVIRONMENT,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../domain/kubernetes/resource-types.ts';
import { removeFinalizer } from '../finalizer.ts';
import { removeManagedObjects } from './apply-environment.ts';
import { visibilityName } from './environment-objects.ts';
import { handOverDedicated } from './move.ts';
import { disownNamespace } from './namespace.ts';
import type { EnvironmentAction } from './next-action.ts';
import type { EnvironmentPorts } from './ports.ts';
import { readInstallation } from './state.ts';

interface Leaving {
  readonly act: Extract<EnvironmentAction, { kind: 'release-namespace' | 'finish' }>;
  readonly signal: AbortSignal;
}

/** The last step of a deletion: takes away what is left of the Environment, and then our finalizer. */
export async function finalizeEnvironment(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  { act, signal }: Leaving,
): Promise<void> {
  if (act.kind === 'release-namespace') await releaseNamespace(cluster, environment, { namespace: act.namespace, signal });
  else if (act.successor !== undefined) await handOverDedicated(cluster, { from: environment.metadata.name, to: act.successor, signal });
  await hide(cluster, environment, signal);
  await removeFinalizer(cluster, { type: ENVIRONMENT, object: environment, signal });
}

/** Takes the permissions of the Environment's people and its service accounts away, then our label; everything else in the namespace stays. */
async function releaseNamespace(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  input: { readonly namespace: KubeObject; readonly signal: AbortSignal },
): Promise<void> {
  const namespace = input.namespace.metadata.name;
  for (const type of [ROLE_BINDING, ROLE, SERVICE_ACCOUNT]) {
    await removeManagedObjects(cluster, { type, namespace, keep: () => false }, input.signal);
  }
  await disownNamespace(cluster, environment, { ...input, installation: await readInstallation(cluster, input.signal) });
}

/** Removes what lets people see the Environment. */
async function hide(cluster: EnvironmentPorts['cluster'], environment: KubeObject, signal: AbortSignal): Promise<void> {
  for (const type of [CLUSTER_ROLE_BINDING, CLUSTER_ROLE]) {
    await ifFound(cluster.delete({ ...type, name: visibilityName(environment) }, { signal }));
  }
}
