import type { Actor } from '../domain/actor.ts';
import type { App, AppSummary, Availability, InstanceRights } from '../domain/app.ts';
import type { EnvironmentView } from '../domain/environment.ts';
import type { EventView, InstanceSummary, InstanceView, Preflight } from '../domain/instance.ts';
import type { CatalogFault, OperatorView } from '../domain/operator.ts';
import type { JsonObject } from '../domain/resource.ts';
import type { ResourceTree } from '../domain/tree.ts';

/** Who is signed in, and whether the admin pages are theirs. */
export interface Me {
  readonly user: string;
  readonly groups: readonly string[];
  /** How people call them; the user name when the issuer tells no better one. */
  readonly name: string;
  readonly admin: boolean;
}

/** What the catalogue is narrowed by. An empty search and an empty list leave everything. */
export interface AppQuery {
  readonly search: string;
  readonly category: readonly string[];
  readonly provider: readonly string[];
  readonly availability: readonly Availability[];
}

/** A value that the catalogue can be narrowed by, and the number of apps that have it among those the search finds. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

export interface AppList {
  readonly apps: readonly AppSummary[];
  readonly facets: { readonly category: readonly Facet[]; readonly provider: readonly Facet[]; readonly availability: readonly Facet[] };
  /** Apps of the whole catalogue, whatever the query. */
  readonly total: number;
}

export interface InstanceList {
  readonly instances: readonly InstanceSummary[];
  /** Kinds that the actor may not list in this environment. */
  readonly unreadable: readonly string[];
}

/** An App with the environments that the actor sees and what they may do with it there. */
export interface InstallTargets {
  readonly app: App;
  readonly targets: readonly { readonly environment: EnvironmentView; readonly rights: InstanceRights }[];
}

/** The address of an Instance: the environment's name, the App's id and the name of the object. */
export interface InstanceAddress {
  readonly environment: string;
  readonly app: string;
  readonly name: string;
}

/** An Instance as somebody wants it. */
export interface InstanceDraft extends InstanceAddress {
  readonly spec: JsonObject;
}

/** A change to an Instance as it was read; `etag` is the `InstanceView.etag` of that reading. */
export interface InstanceChange extends InstanceDraft {
  readonly etag: string;
}

/**
 * What the pages need of the operations. Each acts as the actor and throws AppError: `NotFound` also for what the actor may not know of,
 * `Forbidden` with the missing right, `InvalidInput` with a fault for each field, `Conflict` when the etag is not the newest one.
 */
export interface WebOperations {
  me(actor: Actor): Promise<Omit<Me, 'name'>>;
  listApps(actor: Actor, query: AppQuery): Promise<AppList>;
  showApp(actor: Actor, app: string): Promise<App>;
  /** The App and, sorted as `listEnvironments`, every environment the actor sees. */
  installTargets(actor: Actor, app: string): Promise<InstallTargets>;
  listEnvironments(actor: Actor): Promise<readonly EnvironmentView[]>;
  showEnvironment(actor: Actor, environment: string): Promise<EnvironmentView>;
  listInstances(actor: Actor, environment: string): Promise<InstanceList>;
  instanceRights(actor: Actor, input: { readonly environment: string; readonly app: string }): Promise<InstanceRights>;
  preflightInstance(actor: Actor, draft: InstanceDraft): Promise<Preflight>;
  createInstance(actor: Actor, draft: InstanceDraft): Promise<InstanceView>;
  showInstance(actor: Actor, address: InstanceAddress): Promise<InstanceView>;
  showTree(actor: Actor, address: InstanceAddress): Promise<ResourceTree>;
  /** Newest first. */
  listEvents(actor: Actor, address: InstanceAddress): Promise<readonly EventView[]>;
  preflightChange(actor: Actor, change: InstanceChange): Promise<Preflight>;
  updateInstance(actor: Actor, change: InstanceChange): Promise<InstanceView>;
  deleteInstance(actor: Actor, address: InstanceAddress): Promise<void>;
  listOperators(actor: Actor): Promise<readonly OperatorView[]>;
  showOperator(actor: Actor, operator: { readonly namespace: string; readonly name: string }): Promise<OperatorView>;
  listFaults(actor: Actor): Promise<readonly CatalogFault[]>;
}
