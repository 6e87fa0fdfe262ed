import { messageOf } from '../domain/core/errors.ts';
import { READY_TIMEOUT_MS } from '../http/probes.ts';
import type { UnavailableComponent } from '../http/http-deps.ts';
import type { Identity } from '../identity/create-identity.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Kube } from '../kube/kube.ts';
import type { Metrics } from '../observe/metrics.ts';
import { waitAtMost } from './wait-at-most.ts';

export interface ReadinessInput {
  readonly kube: Pick<Kube, 'ping'>;
  readonly catalog: Pick<LiveCatalog, 'synced' | 'faults'>;
  readonly identity: Pick<Identity, 'unavailableReason'>;
  readonly metrics: Pick<Metrics, 'clusterReachable' | 'issuerReachable'>;
}

/** The unavailable components: the cluster does not answer, has not all of our kinds or is not watched; the issuer does not answer. */
export function readinessOf({ kube, catalog, identity, metrics }: ReadinessInput): {
  installed(): void;
  absences(): Promise<UnavailableComponent[]>;
} {
  let installed = false;
  const cluster = async (): Promise<string | undefined> => {
    try {
      await kube.ping({ signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
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
    const checked = identity.unavailableReason();
    const issuerError = (await waitAtMost(checked, READY_TIMEOUT_MS)) ? await checked : 'The identity provider does not answer in time';
    metrics.issuerReachable(issuerError === undefined ? 'yes' : 'no');
    return issuerError;
  };
  return {
    installed: () => {
      installed = true;
    },
    absences: async () => {
      const [fromCluster, fromIssuer] = await Promise.all([cluster(), issuer()]);
      return [
        ...(fromCluster === undefined ? [] : [{ component: 'cluster', message: fromCluster } as const]),
        ...(fromIssuer === undefined ? [] : [{ component: 'issuer', message: fromIssuer } as const]),
      ];
    },
  };
}
