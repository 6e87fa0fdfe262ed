import { SECRET } from '../../../domain/kubernetes/resource-types.ts';
import type { OperatorPorts, ReleaseRef } from '../ports.ts';
import { classifyRelease, type ReleaseFact } from './classify-release.ts';

/** Looks at the labels of Helm's release records; their content, which holds values and manifests, stays in the cluster. */
export async function observeRelease(
  cluster: OperatorPorts['cluster'],
  { release, namespace }: ReleaseRef,
  { label, signal }: { readonly label: string; readonly signal: AbortSignal },
): Promise<ReleaseFact> {
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector, signal });
  return classifyRelease(items, label);
}
