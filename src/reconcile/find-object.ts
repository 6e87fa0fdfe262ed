import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { isAppError } from '../domain/core/errors.ts';
import type { KubeObject, ResourceRef } from '../domain/kubernetes/resource.ts';

/** Reads an object that need not be there: undefined when it is not. Any other failure is thrown. */
export async function findObject(cluster: Pick<Cluster, 'get'>, ref: ResourceRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(ref, { signal });
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
