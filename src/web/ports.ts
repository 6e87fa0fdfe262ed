import type { Actor } from '../domain/kubernetes/actor.ts';
import type { DraftKind } from '../domain/catalog/draft-kinds.ts';
import type { App, InstancePermissions } from '../domain/app/app.ts';
import type { Choices } from '../domain/app/choices.ts';
import type { EnvironmentView } from '../domain/environment/environment.ts';
import type { EventView, InstanceView, Preflight, RevealedValue } from '../domain/instance/instance.ts';
import type { InstanceCount, OperatorInstances } from '../domain/operator/operator-instances.ts';
import type { RequestOrigin, AuditQuery } from '../domain/audit/audit-log.ts';
import type { OperatorFilter, OperatorList } from '../domain/operator/operator-list.ts';
import type { OperatorProblem } from '../domain/operator/operator-problems.ts';
import type { CatalogFault, OperatorView } from '../domain/operator/operator.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import type { OperatorTree, ResourceTree } from '../domain/tree/tree.ts';
import type { UpgradePreview } from '../domain/upgrade/preview/upgrade-preview.ts';
import type { ChangeRequestDraft } from '../operation/change-request/create-change-request.ts';
import type { ApprovalInput } from '../operation/upgrade/approve-upgrade.ts';
import type { NewOperator } from '../operation/operator/create-operator.ts';
import type { RequestVerdict } from '../operation/change-request/decide-change-request.ts';
import type { InstanceAddress } from '../operation/instance/find-instance.ts';
import type { OperatorAddress } from '../operation/operator/find-operator.ts';
import type { InstallTargets } from '../operation/app/install-targets.ts';
import type { InstanceChange } from '../operation/instance/instance-change.ts';
import type { InstanceDraft } from '../operation/instance/instance-draft.ts';
import type { ChoicesInput } from '../operation/app/list-choices.ts';
import type { AppList, AppQuery, Facet } from '../operation/app/list-apps.ts';
import type { EventsInput } from '../operation/instance/list-events.ts';
import type { AuditPage } from '../operation/audit/list-audit-events.ts';
import type { ChangeRequestList } from '../operation/change-request/list-change-requests.ts';
import type { ChangeRequestSummary, ChangeRequestView } from '../operation/change-request/show-change-request.ts';
import type { InstanceList } from '../operation/instance/list-instances.ts';
import type { OperatorEvents, OperatorEventsInput } from '../operation/operator/list-operator-events.ts';
import type { ProblemsInput } from '../operation/operator/list-operator-problems.ts';
import type { OperatorPermissions } from '../operation/operator/operator-permissions.ts';
import type { OperatorDeletion } from '../operation/operator/preview-operator-deletion.ts';
import type { InstanceMigration } from '../operation/instance/preview-migration.ts';
import type { PreviewInput } from '../operation/upgrade/preview-upgrade.ts';
import type { OperatorAction } from '../operation/operator/request-operator-action.ts';
import type { SavedConfigurationOperations } from './saved-configuration/saved-configuration-port.ts';

/** Who is signed in, and whether the admin pages are theirs. */
export interface Me {
  readonly user: string;
  readonly groups: readonly string[];
  /** How people call them; the user name when the issuer tells no better one. */
  readonly name: string;
  readonly admin: boolean;
  /** How many change requests wait for them. */
  readonly waiting?: number;
}

export type { AppList, AppQuery, Facet, InstallTargets, InstanceAddress, InstanceChange, InstanceDraft, InstanceList };
export type { ChangeRequestList, ChangeRequestSummary, RequestVerdict, ChangeRequestView, ChangeRequestDraft };
export type { InstanceMigration, AuditPage };
export type { OperatorAddress, OperatorDeletion, OperatorEvents, OperatorPermissions, OperatorAction };

/**
 * What the pages need of the operations. Each acts as the actor and throws AppError: `NotFound` also for what the actor may not know of,
 * `Forbidden` with the missing right, `InvalidInput` with a fault for each field, `Conflict` when the spec version is not the newest one.
 */
export interface WebOperations extends SavedConfigurationOperations {
  me(actor: Actor): Promise<Omit<Me, 'name' | 'waiting'>>;
  listApps(actor: Actor, query: AppQuery): Promise<AppList>;
  showApp(actor: Actor, app: string): Promise<App>;
  /** The App and, sorted as `listEnvironments`, every environment the actor sees. */
  installTargets(actor: Actor, app: string): Promise<InstallTargets>;
  listEnvironments(actor: Actor): Promise<readonly EnvironmentView[]>;
  showEnvironment(actor: Actor, environment: string): Promise<EnvironmentView>;
  listInstances(actor: Actor, environment: string): Promise<InstanceList>;
  instancePermissions(actor: Actor, input: { readonly environment: string; readonly app: string }): Promise<InstancePermissions>;
  /** What fields can refer to, as far as the actor may list it; a missing right is a part of the answer. */
  listChoices(actor: Actor, input: ChoicesInput): Promise<readonly Choices[]>;
  preflightInstance(actor: Actor, draft: InstanceDraft): Promise<Preflight>;
  createInstance(actor: Actor, draft: InstanceDraft & RequestOrigin): Promise<InstanceView>;
  showInstance(actor: Actor, address: InstanceAddress): Promise<InstanceView>;
  /** `NotFound` for a path where no masked value is. */
  revealValue(actor: Actor, input: InstanceAddress & RequestOrigin & { readonly path: string }): Promise<RevealedValue>;
  showTree(actor: Actor, address: InstanceAddress): Promise<ResourceTree>;
  /** Newest first. */
  listEvents(actor: Actor, input: EventsInput): Promise<readonly EventView[]>;
  preflightChange(actor: Actor, change: InstanceChange): Promise<Preflight>;
  updateInstance(actor: Actor, change: InstanceChange & RequestOrigin): Promise<InstanceView>;
  /** `InvalidInput` for a version that is not served. */
  previewMigration(actor: Actor, address: InstanceAddress): Promise<InstanceMigration>;
  preflightDeletion(actor: Actor, address: InstanceAddress): Promise<Preflight>;
  deleteInstance(actor: Actor, address: InstanceAddress & RequestOrigin): Promise<void>;
  createChangeRequest(actor: Actor, wish: ChangeRequestDraft): Promise<ChangeRequestSummary>;
  listChangeRequests(actor: Actor): Promise<ChangeRequestList>;
  /** How many wait for the actor; may be some seconds old. */
  countChangeRequests(actor: Actor): Promise<number>;
  showChangeRequest(actor: Actor, id: string): Promise<ChangeRequestView>;
  /** `Conflict` when it would no longer do what the digest stands for; `ChangeRequestClosed`. */
  approveChangeRequest(actor: Actor, input: RequestVerdict & { readonly digest: string }): Promise<InstanceView>;
  declineChangeRequest(actor: Actor, input: RequestVerdict & { readonly reason: string }): Promise<void>;
  withdrawChangeRequest(actor: Actor, input: RequestVerdict): Promise<void>;
  listOperators(actor: Actor, filter: OperatorFilter): Promise<OperatorList>;
  /** By the names of CustomResourceDefinitions; those that are not served, and those beyond a bound, have no count. */
  countInstances(actor: Actor, names: readonly string[]): Promise<ReadonlyMap<string, InstanceCount>>;
  showOperator(actor: Actor, operator: OperatorAddress): Promise<OperatorView>;
  showOperatorTree(actor: Actor, operator: OperatorAddress): Promise<OperatorTree>;
  listOperatorEvents(actor: Actor, input: OperatorEventsInput): Promise<OperatorEvents>;
  listOperatorInstances(actor: Actor, operator: OperatorAddress): Promise<OperatorInstances>;
  listOperatorProblems(actor: Actor, input: ProblemsInput): Promise<readonly OperatorProblem[]>;
  previewOperatorDeletion(actor: Actor, operator: OperatorAddress): Promise<OperatorDeletion>;
  operatorPermissions(actor: Actor, operator: OperatorAddress): Promise<OperatorPermissions>;
  requestOperatorAction(actor: Actor, input: OperatorAddress & RequestOrigin & { readonly step: OperatorAction }): Promise<void>;
  /** @throws AppError `InvalidInput` for what is no Operator. */
  preflightOperator(actor: Actor, operator: KubeObject): Promise<Preflight>;
  createOperator(actor: Actor, input: NewOperator): Promise<OperatorView>;
  deleteOperator(actor: Actor, operator: OperatorAddress & RequestOrigin): Promise<void>;
  /** What moving it to a version would do; an empty version: to the one that waits. */
  previewUpgrade(actor: Actor, input: PreviewInput): Promise<UpgradePreview>;
  /** `ApprovalRefused` where it would have no effect. */
  approveUpgrade(actor: Actor, input: ApprovalInput & RequestOrigin): Promise<void>;
  listFaults(actor: Actor): Promise<readonly CatalogFault[]>;
  /** With an Operator only those that probably belong to it. */
  listDrafts(actor: Actor, operator?: OperatorAddress): Promise<readonly DraftKind[]>;
  /** None for whoever may not see drafts. */
  listOperatorDrafts(actor: Actor, operator: OperatorAddress): Promise<readonly DraftKind[]>;
  /** 0 for whoever may not see them. */
  countDrafts(actor: Actor): Promise<number>;
  listAuditEvents(actor: Actor, query: AuditQuery): Promise<AuditPage>;
}
