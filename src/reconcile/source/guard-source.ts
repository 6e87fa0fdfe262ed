import { OURS } from '../../domain/names.ts';
import type { KubeObject } from '../../domain/resource.ts';
import type { SourcePorts } from './ports.ts';
import { CATALOG_SOURCE } from './source-type.ts';

/** Adds our finalizer, so that nothing the source brought is forgotten. */
export async function guardSource(cluster: SourcePorts['cluster'], source: KubeObject, signal: AbortSignal): Promise<void> {
  await setFinalizers(cluster, source, { finalizers: [...(source.metadata.finalizers ?? []), OURS.finalizer], signal });
}

/** Removes our finalizer. */
export async function releaseSource(cluster: SourcePorts['cluster'], source: KubeObject, signal: AbortSignal): Promise<void> {
  const finalizers = (source.metadata.finalizers ?? []).filter((finalizer) => finalizer !== OURS.finalizer);
  await setFinalizers(cluster, source, { finalizers, signal });
}

async function setFinalizers(
  cluster: SourcePorts['cluster'],
  source: KubeObject,
  { finalizers, signal }: { readonly finalizers: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { name, resourceVersion } = source.metadata;
  const body = { metadata: { finalizers, resourceVersion } };
  await cluster.patch({ ...CATALOG_SOURCE, name }, { type: 'merge', body }, { signal, fieldManager: OURS.fieldManager });
}
