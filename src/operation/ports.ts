import type { ChangeRequestPorts } from './change-request/change-request-ports.ts';
import type { SavedConfigurationPorts } from './saved-configuration/saved-configuration-ports.ts';
import type { UpgradePorts } from './upgrade/upgrade-ports.ts';
import type { AuditPort } from './audit/audited.ts';
import type { CatalogCache, Clusters, Discovery } from '../domain/kubernetes/cluster.ts';

/** What a chart says about itself: hostile text. */
export interface ChartWords {
  /** Markdown; empty when there is none. */
  readonly readme: string;
  readonly icon?: string;
  readonly description?: string;
}

/** What the operations need of the world. */
export interface Ports {
  readonly clusters: Clusters;
  readonly discovery: Discovery;
  readonly catalog: CatalogCache;
  /** What a chart says about itself, by its digest; undefined when the chart is not at hand. */
  readonly chart: (digest: string) => Promise<ChartWords | undefined>;
  /** Charts and their rendering, for plans of upgrades. */
  readonly upgrades: UpgradePorts;
  readonly changeRequests: ChangeRequestPorts;
  readonly savedConfigurations: SavedConfigurationPorts;
  readonly auditLog: AuditPort;
  /** Where people reach Chandlery, e.g. `https://catalogue.example.com`, for the commands that are shown. */
  readonly publicUrl: string;
}
