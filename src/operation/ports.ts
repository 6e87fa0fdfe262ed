import type { AccessTokenTable } from '../domain/access-token/access-token.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { CatalogCache, Clusters, Discovery } from '../domain/kubernetes/cluster.ts';
import type { JobDeploymentTable } from '../domain/environment/job-deployment.ts';
import type { ProposedEdit } from '../domain/proposal/edit-repository.ts';
import type { MergeRequest, ProposalText } from '../domain/proposal/proposal.ts';
import type { ProposalTarget } from '../domain/proposal/proposal-target.ts';
import type { SpaceOwner } from '../domain/saved-configuration/saved-configuration-space.ts';
import type { ChartValues } from '../schema/embed-chart-values.ts';
import type { AuditPort } from './audit/audited.ts';
import type { IndexPort } from './index-port.ts';
import type { HealthEvaluator } from './health/health-evaluator.ts';
import type { NamespaceMemory } from './environment/namespace-memory.ts';
import type { KubectlPorts } from './kubectl/kubectl-ports.ts';
import type { MetricSource, QueryRange } from '../domain/monitoring/metrics.ts';
import type { SourcePreviewPorts } from './source/source-ports.ts';
import type { UpgradePorts } from './upgrade/upgrade-ports.ts';

/** What saved configurations need of the world: the namespaces that people and groups have for them, made by the controller's own account. */
interface SavedConfigurationPorts {
  /** Those of the owners who have a namespace. */
  readonly withSpace: (owners: readonly SpaceOwner[]) => Promise<readonly SpaceOwner[]>;
  /** Makes the namespace of an owner where there is none, and waits until the actor, who is that owner or in that group, may write there. */
  readonly createSpace: (owner: SpaceOwner, actor?: Actor) => Promise<void>;
}

/** What personal access tokens need of the world. Times and spans are in milliseconds. */
interface AccessTokenPorts {
  readonly table: Pick<AccessTokenTable, 'list' | 'add' | 'revoke' | 'rotate' | 'countUse' | 'returnUse'>;
  readonly now: () => number;
  readonly maxLifetime: number;
  /** Without a sign-in of their user for so long, tokens pause. */
  readonly absence: number;
  /** `TokensPassThrough`: calls carry tokens that the api-server knows, and it knows none of these. */
  readonly usable: 'Yes' | 'TokensPassThrough';
}

/** What change requests need of the world. */
interface ChangeRequestPorts {
  /** Whose permissions an approved request is written with, and how: calls impersonate the approver, or carry a token of theirs. */
  readonly appliedBy: 'Impersonation' | 'TokenOfApprover';
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The README, icon and description of a chart: untrusted text. */
export interface ChartDescription {
  /** Markdown; empty when there is none. */
  readonly readme: string;
  readonly icon?: string;
  readonly description?: string;
}

/** What metrics need of the world. */
export interface MetricPorts {
  /** Reads the credentials as the controller; throws AppError `MonitoringUnavailable`. */
  readonly connect: (source: MetricSource) => Promise<QueryRange>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What proposing changes in repositories needs of the world. Each method throws AppError `ForgeUnavailable`, `EgressDenied`. */
export interface ProposalPorts {
  /** Pushes a branch and opens a merge request; throws AppError `ProposalImpossible` where the files have no place for it. */
  readonly open: (target: ProposalTarget, wanted: WantedProposal) => Promise<MergeRequest>;
  /** The merge requests that changed last; may be some seconds old. */
  readonly list: (target: ProposalTarget) => Promise<readonly MergeRequest[]>;
  /** Whether a commit is in the history of another one. */
  readonly contains: (target: ProposalTarget, input: { readonly commit: string; readonly within: string }) => Promise<boolean>;
  /** Eight hexadecimal digits. */
  readonly randomId: () => string;
}

export interface WantedProposal extends ProposalText {
  readonly branch: string;
  readonly title: string;
  /** `email` may be empty. */
  readonly author: { readonly name: string; readonly email: string };
  readonly edit: ProposedEdit;
}

/** What the operations need of the world. */
export interface Ports {
  readonly clusters: Clusters;
  readonly discovery: Discovery;
  readonly catalog: CatalogCache;
  /** Which kinds need not be listed on every refresh of a resource tree. */
  readonly namespaceMemory: NamespaceMemory;
  /** The health rules of Operators. */
  readonly health: HealthEvaluator;
  /** What pages read of environments. */
  readonly index: IndexPort;
  /** Reads the description of a chart by its digest; undefined when the chart is not cached. */
  readonly chart: (digest: string) => Promise<ChartDescription | undefined>;
  /** What a chart says about its values, by its digest; undefined when the chart is not cached. Absent where there is no cache of charts. */
  readonly chartValues?: (digest: string) => Promise<ChartValues | undefined>;
  /** Charts and their rendering, for upgrade previews. */
  readonly upgrades: UpgradePorts;
  /** Revisions of sources, for previews. */
  readonly sourcePreviews: SourcePreviewPorts;
  /** The Prometheus of Environments and Operators. */
  readonly metrics: MetricPorts;
  readonly accessTokens: AccessTokenPorts;
  readonly changeRequests: ChangeRequestPorts;
  readonly savedConfigurations: SavedConfigurationPorts;
  readonly proposals: ProposalPorts;
  readonly kubectl: KubectlPorts;
  readonly auditLog: AuditPort;
  /** What CI jobs deployed. */
  readonly deployments: JobDeploymentTable;
  /** Where people reach Chandlery, e.g. `https://catalogue.example.com`, for the commands that are shown. */
  readonly publicUrl: string;
}
