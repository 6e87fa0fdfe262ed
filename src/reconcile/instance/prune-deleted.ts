import type { Reconcile } from '../../controller/controller.ts';
import { DELETED_INSTANCE, untilEnd } from '../../domain/app-instance/deleted-instance.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { parseKey } from '../../domain/kubernetes/resource.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';

export interface PruneDeletedPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get'>;
  /** As the deployer of a namespace. */
  readonly asDeployer: (namespace: string) => Pick<Cluster, 'delete'>;
  readonly now: () => Date;
}

/** Timers hold no longer times. */
const LONGEST_MS = 86_400_000;

/** Makes the function that deletes the record of a deleted instance when it ends. Its key is `namespace/name`. */
export function createDeletedPruner({ cluster, asDeployer, now }: PruneDeletedPorts): Reconcile {
  return async (key, signal) => {
    const { namespace = '', name } = parseKey(key);
    const ref = { ...SECRET, namespace, name };
    const record = await ifFound(cluster.get(ref, { signal }));
    if (record?.metadata.labels?.[DELETED_INSTANCE] !== 'true') return {};
    const left = untilEnd(record, now().getTime());
    if (left > 0) return { requeueAfter: Math.min(left, LONGEST_MS) };
    const { uid } = record.metadata;
    await ifFound(asDeployer(namespace).delete(ref, { signal, ...(uid === undefined ? {} : { uid }) }));
    return {};
  };
}
