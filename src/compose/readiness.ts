import { messageOf } from '../domain/core/errors.ts';
import { READY_PATIENCE_MS } from '../http/probes.ts';
import type { Absence } from '../http/http-deps.ts';
import type { Identity } from '../identity/create-identity.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Kube } from '../kube/kube.ts';
import type { Metrics } from '../observe/metrics.ts';
import { waitAtMost } from './wait-at-most.ts';

export interface ReadinessInput {
  readonly kube: Pick<Kube, 'ping'>;
  readonly catalog: Pick<LiveCatalog, 'synced' | 'faults'>;
  readonly identity: Pick<Identity, 'away'>;
  readonly metrics: Pick<Metrics, 'clusterReachable' | 'issuerReachable'>;
}

/** What is away: the cluster does not answer, has not all of our kinds or is not watched; the issuer does not answer. */
export function readinessOf({ kube, catalog, identity, metrics }: ReadinessInput): { installed(): void; absences(): Promise<Absence[]> } {
  let installed = false;
  const cluster = async (): Promise<string | undefined> => {
    try {
      await kube.ping({ signal: AbortSignal.timeout(READY_PATIENCE_MS) });
      metrics.clusterReachable('yes');
    } catch (error) {
      metrics.clusterReachable('no');
      return messageOf(error);
    }
    if (!installed) return 'installing CRDs and roles';
    const faults = catalog.faults();
    if (faults.length > 0) return faults.join('; ');
    return catalog.synced() ? undefined : 'loading the catalogue';
  };
  const issuer = async (): Promise<string | undefined> => {
    const asked = identity.away();
    const away = (await waitAtMost(asked, READY_PATIENCE_MS)) ? await asked : 'The identity provider does not answer in time';
    metrics.issuerReachable(away === undefined ? 'yes' : 'no');
    return away;
  };
  return {
    installed: () => {
      installed = true;
    },
    absences: async () => {
      const [fromCluster, fromIssuer] = await Promise.all([cluster(), issuer()]);
      return [
        ...(fromCluster === undefined ? [] : [{ part: 'cluster', message: fromCluster } as const]),
        ...(fromIssuer === undefined ? [] : [{ part: 'issuer', message: fromIssuer } as const]),
      ];
    },
  };
}
