import { isAppError } from '../../../domain/core/errors.ts';
import type { KubeObject, ResourceType } from '../../../domain/kubernetes/resource.ts';
import type { CrdFact } from './observe-crds.ts';
import type { OperatorPorts } from '../ports.ts';

/** The instances of one kind, by their metadata alone. */
export interface InstancesFact {
  readonly crd: CrdFact;
  readonly type: ResourceType;
  /** The first ones; none only when there are none at all, or nobody can tell now. */
  readonly items: readonly KubeObject[];
  /** How many there are, as far as the api-server says. */
  readonly total: number;
  /** Why the api-server cannot list them now; whether there are any is then unknown. */
  readonly unavailable?: string;
}

/** Enough to name some; kinds may have a hundred thousand instances. */
const LOOKED_AT = 100;

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
      return { crd, type, ...(await firstInstances(cluster, type, signal)) };
    }),
  );
}

async function firstInstances(
  cluster: OperatorPorts['cluster'],
  type: ResourceType,
  signal: AbortSignal,
): Promise<Pick<InstancesFact, 'items' | 'total' | 'unavailable'>> {
  try {
    for await (const { items, remaining } of cluster.pages(type, { content: 'metadata', size: LOOKED_AT, signal })) {
      return { items, total: items.length + remaining };
    }
  } catch (error) {
    if (isAppError(error) && error.unanswered !== undefined) {
      return { items: [], total: 0, unavailable: error.faults[0]?.message ?? error.message };
    }
    // The kind has gone since its CRD was read.
    if (!isAppError(error, 'NotFound')) throw error;
  }
  return { items: [], total: 0 };
}
