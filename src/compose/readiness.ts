import { messageOf } from '../domain/core/errors.ts';
import type { Absence } from '../http/http-deps.ts';
import type { Identity } from '../identity/create-identity.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Kube } from '../kube/kube.ts';
import type { Metrics } from '../observe/metrics.ts';

export interface ReadinessInput {
  readonly kube: Pick<Kube, 'ping'>;
  readonly catalog: Pick<LiveCatalog, 'synced' | 'faults'>;
  readonly identity: Pick<Identity, 'away'>;
  readonly metrics: Pick<Metrics, 'clusterReachable'>;
}

const PING_MS = 3_000;

/** Whether we can serve: the cluster answers, holds our kinds and is being watched, and the issuer answers. */
export function readinessOf({ kube, catalog, identity, metrics }: ReadinessInput): { installed(): void; absences(): Promise<Absence[]> } {
  let installed = false;
  const cluster = async (): Promise<string | undefined> => {
    try {
      await kube.ping({ signal: AbortSignal.timeout(PING_MS) });
      metrics.clusterReachable('yes');
    } catch (error) {
      metrics.clusterReachable('no');
      return messageOf(error);
    }
    if (!installed) return 'the cluster is being furnished with our kinds and roles';
    const faults = catalog.faults();
    if (faults.length > 0) return faults.join('; ');
    return catalog.synced() ? undefined : 'the catalogue is being read';
  };
  return {
    installed: () => {
      installed = true;
    },
    absences: async () => {
      const [fromCluster, fromIssuer] = await Promise.all([cluster(), identity.away()]);
      return [
        ...(fromCluster === undefined ? [] : [{ part: 'cluster', message: fromCluster } as const]),
        ...(fromIssuer === undefined ? [] : [{ part: 'issuer', message: fromIssuer } as const]),
      ];
    },
  };
}
