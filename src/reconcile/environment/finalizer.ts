import { OURS } from '../../domain/names.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { ENVIRONMENT } from './environment-type.ts';
import type { EnvironmentPorts } from './ports.ts';

/** Adds our finalizer, before anything outside the Environment is made. */
export async function guard(cluster: EnvironmentPorts['cluster'], environment: KubeObject, signal: AbortSignal): Promise<void> {
  await setFinalizers(cluster, environment, { finalizers: [...(environment.metadata.finalizers ?? []), OURS.finalizer], signal });
}

/** Takes our finalizer off, and only ours. */
export async function release(cluster: EnvironmentPorts['cluster'], environment: KubeObject, signal: AbortSignal): Promise<void> {
  const finalizers = (environment.metadata.finalizers ?? []).filter((finalizer) => finalizer !== OURS.finalizer);
  await setFinalizers(cluster, environment, { finalizers, signal });
}

async function setFinalizers(
  cluster: EnvironmentPorts['cluster'],
  { metadata }: KubeObject,
  { finalizers, signal }: { finalizers: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const body = { metadata: { resourceVersion: metadata.resourceVersion, finalizers } };
  await cluster.patch({ ...ENVIRONMENT, name: metadata.name }, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
}
