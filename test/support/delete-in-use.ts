import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { apiVersionOf, type ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import type { KnownType } from '../../src/domain/kubernetes/resource-types.ts';
import { eventually } from './eventually.ts';

/** Deletes an object whose last instances have just gone: its status may count them for another moment, and admission policies go by that. */
export async function deleteWhenUnused(cluster: Pick<Cluster, 'get' | 'delete'>, ref: ResourceRef): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    await cluster.get(ref);
    try {
      await cluster.delete(ref);
      return true;
    } catch (error) {
      if (!isAppError(error, 'AdmissionDenied')) throw error;
      return false;
    }
  };
  await eventually(attempt, `${ref.resource} ${ref.name} has no instances any more`);
}

/** Deletes an object with instances that have not been counted yet, as those that came just now: admission policies let it pass, and only its finalizer holds it. */
export async function deleteUncounted(cluster: Pick<Cluster, 'applyStatus' | 'delete'>, type: KnownType, name: string): Promise<void> {
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name }, status: { instances: 0 } };
  await cluster.applyStatus(type, object, { fieldManager: 'test', force: 'force' });
  await cluster.delete({ ...type, name });
}
