import { NAMESPACE } from '../domain/kubernetes/resource-types.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Ports } from '../operation/ports.ts';
import type { Store } from '../store/store.ts';
import { createAuditPort } from './create-audit-port.ts';

type Kept = 'changeRequests' | 'savedConfigurations' | 'auditLog';

/** What operations need of the store. */
export function storePorts(kube: Pick<Kube, 'asController'>, store: Pick<Store, Kept>, log: Log): Pick<Ports, Kept> {
  const { changeRequests, savedConfigurations, auditLog } = store;
  return {
    changeRequests: { table: changeRequests, cluster: clusterUid(kube), now: Date.now },
    savedConfigurations: { table: savedConfigurations, now: Date.now },
    auditLog: createAuditPort(auditLog, log),
  };
}

/** The uid of the cluster: that of its namespace `kube-system`, as is custom. Asked for once. */
function clusterUid(kube: Pick<Kube, 'asController'>): () => Promise<string> {
  let known: Promise<string> | undefined;
  return async () => {
    known ??= read(kube);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function read(kube: Pick<Kube, 'asController'>): Promise<string> {
  const namespace = { ...NAMESPACE, name: 'kube-system' };
  const { metadata } = await kube.asController().get(namespace);
  return metadata.uid ?? '';
}
