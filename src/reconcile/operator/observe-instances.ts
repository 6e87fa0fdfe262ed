import { isAppError } from '../../domain/errors.ts';
import type { KubeObject, ResourceType } from '../../domain/resource.ts';
import type { CrdFact } from './observe-crds.ts';
import type { OperatorPorts } from './ports.ts';

/** The instances of one kind, by their metadata alone. */
export interface InstancesFact {
  readonly crd: CrdFact;
  readonly type: ResourceType;
  readonly items: readonly KubeObject[];
}

/** Who still uses the kinds of an Operator. Asked only when the Operator is being deleted. */
export async function observeInstances(
  cluster: OperatorPorts['cluster'],
  crds: readonly CrdFact[],
  signal: AbortSignal,
): Promise<readonly InstancesFact[]> {
  const served = crds.filter((crd) => crd.version !== '' && crd.established);
  return Promise.all(
    served.map(async (crd) => {
      const type = { group: crd.group, version: crd.version, resource: crd.plural };
      return { crd, type, items: await listInstances(cluster, type, signal) };
    }),
  );
}

async function listInstances(cluster: OperatorPorts['cluster'], type: ResourceType, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return (await cluster.listMetadata(type, { signal })).items;
  } catch (error) {
    // The kind has gone since its definition was read.
    if (isAppError(error, 'NotFound')) return [];
    throw error;
  }
}
