import type { Cluster, Discovery, EventRecorder } from '../../domain/kubernetes/cluster.ts';
import type { OperatorKinds } from '../../domain/catalog/operator-kinds.ts';
import type { CountQuota } from '../../domain/app-definition/limits.ts';
import type { AppIdentity } from '../../domain/environment/allowed-apps.ts';
import type { WantedDeployers } from './app-deployers.ts';
import type { EnvironmentSettings } from './environment-spec.ts';
import type { FailedRules } from '../health-rules.ts';
import type { GrantPorts } from './foreign-grants.ts';

/** An App of the catalogue, with the resource that the api-server knows it by. */
export interface EnvironmentApp extends AppIdentity {
  readonly group: string;
  readonly plural: string;
}

/** How many instances there are in a namespace, as they are watched. */
export interface InstanceCount {
  readonly atLeast: number;
  /** Whether all kinds have been listed; else there may be more. */
  readonly isListed: boolean;
}

/** What reconciling an Environment needs of the world. */
export interface EnvironmentPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'listMetadata' | 'create' | 'apply' | 'applyStatus' | 'replace' | 'patch' | 'delete'>;
  readonly discovery: Pick<Discovery, 'kinds' | 'invalidate'>;
  /** The catalogue as it is now. */
  readonly apps: () => readonly EnvironmentApp[];
  /** The kinds that Operators bring, as they are now. */
  readonly operatorKinds: () => readonly OperatorKinds[];
  /** The limits of AppDefinitions for each Environment, as they are now. */
  readonly appLimits: () => CountQuota;
  /** How many instances there are in a namespace; absent: the number in the status stays. */
  readonly instancesIn?: (namespace: string) => InstanceCount;
  /** Health rules that failed where they were evaluated; absent: none. */
  readonly failedRules?: FailedRules;
  /** The deployers of apps that have instances in a namespace, as they are now. */
  readonly appDeployers: (namespace: string) => WantedDeployers;
  readonly grants: GrantPorts;
  readonly events: EventRecorder;
  readonly settings: EnvironmentSettings;
  readonly now: () => Date;
}
