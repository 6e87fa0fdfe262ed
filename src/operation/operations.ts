import type { Actor } from '../domain/kubernetes/actor.ts';
import { followPorts, type Looking } from './index-port.ts';
import {
  createRegistrationToken,
  listRegistrationTokens,
  registerEnvironment,
  revokeRegistrationToken,
  rotateRegistrationToken,
} from './access-token/registration-tokens.ts';
import { createAccessToken } from './access-token/create-access-token.ts';
import { listAccessTokens, listAllAccessTokens, revokeAccessToken, revokeAnyAccessToken } from './access-token/list-access-tokens.ts';
import { showComposition, showManual } from './app/describe-app.ts';
import { explainApp } from './app/explain-app.ts';
import { installTargets, listChoices } from './app/install-choices.ts';
import { listApps } from './app/list-apps.ts';
import { showApp, showForm } from './app/show-app.ts';
import {
  createAppDefinition,
  listAppDefinitions,
  missingForNewAppDefinition,
  showAppDefinition,
} from './app-definition/app-definitions.ts';
import { preflightAppDefinition } from './app-definition/preflight-app-definition.ts';
import { previewChart } from './app-definition/preview-chart.ts';
import { deleteUploadedChart, listUploadedCharts, showUploadedChart, uploadChart } from './app-definition/uploaded-charts.ts';
import { listAuditEvents } from './audit/list-audit-events.ts';
import { countDrafts, listDrafts, listFaults, listOperatorDrafts } from './catalog/list-faults.ts';
import { createChangeRequest } from './change-request/create-change-request.ts';
import { approveChangeRequest, declineChangeRequest, withdrawChangeRequest } from './change-request/decide-change-request.ts';
import { createRequestCount, listChangeRequests } from './change-request/list-change-requests.ts';
import { showChangeRequest } from './change-request/show-change-request.ts';
import { revealConnectionKey } from './connection/reveal-connection-key.ts';
import { showConnection } from './connection/show-connection.ts';
import { listEnvironmentResources, listEnvironmentWorkloads } from './environment/list-environment-resources.ts';
import { listEnvironments, showEnvironment } from './environment/find-environment.ts';
import { createEnvironment, deleteEnvironment, environmentPermissions, updateEnvironment } from './environment/write-environment.ts';
import { listDeployments, reportDeployment } from './environment/job-deployments.ts';
import { previewEnvironmentDeletion } from './environment/preview-environment-deletion.ts';
import { showTierBoard } from './environment/show-tier-board.ts';
import { showEnvironmentStatus } from './environment/show-environment-status.ts';
import {
  createInstance,
  deleteInstance,
  forgetRelease,
  requestInstanceTest,
  requestReinstallation,
  setInstanceSleep,
  updateInstance,
} from './instance/write-instance.ts';
import { copyOf, promotionOf } from './instance/copy-instance.ts';
import { listDeletedInstances, preflightRestore, restoreInstance, restoreOf } from './instance/deleted-instances.ts';
import { instancePermissions } from './instance/instance-permissions.ts';
import { listRevisions, preflightRollback, rollbackInstance, rollbackOf } from './instance/instance-history.ts';
import { listEvents, listWorkloads, readInstance } from './instance/list-events.ts';
import { listInstances } from './instance/list-instances.ts';
import { previewInstanceMigration } from './instance/preview-migration.ts';
import { listReleaseRevisions, showReleaseRevision } from './instance/release-revisions.ts';
import { revealValue, showInstance } from './instance/show-instance.ts';
import { showLogs, showResourceLogs } from './instance/show-logs.ts';
import { showTree } from './instance/show-tree.ts';
import { showCiContext, showKubeconfig } from './kubectl/show-access.ts';
import { me } from './me.ts';
import { showEnvironmentMetrics, showOperatorMetrics } from './monitoring/show-metrics.ts';
import { countInstances, listOperatorInstances } from './operator/list-operator-instances.ts';
import { createOperator, deleteOperator, previewOperatorDeletion } from './operator/write-operator.ts';
import { listOperatorEvents, listOperatorProblems } from './operator/list-operator-problems.ts';
import { listOperators, showOperator } from './operator/find-operator.ts';
import { operatorPermissions } from './operator/operator-permissions.ts';
import { requestOperatorAction } from './operator/request-operator-action.ts';
import { showReleaseNotes } from './operator/show-release-notes.ts';
import { showOperatorLogs, showOperatorTree } from './operator/show-operator-tree.ts';
import {
  approvePrune,
  confirmOrigin,
  keepResource,
  createSource,
  deleteSource,
  missingForNewSource,
  preflightSource,
  previewSourceDeletion,
  requestSourceAction,
} from './source/change-source.ts';
import { listSources, showSource, sourcePermissions } from './source/find-source.ts';
import { listSourceInventory } from './source/list-source-inventory.ts';
import { listReleases, previewRelease, showRelease } from './release/catalog-releases.ts';
import { previewSource } from './source/preview-source.ts';
import { previewSourceRollback, proposeSourceRollback } from './source/roll-back-source.ts';
import { showTimeline } from './timeline/show-timeline.ts';
import { preflightChange } from './preflight/preflight-change.ts';
import { preflightDeletion } from './preflight/preflight-deletion.ts';
import { preflightEnvironment, preflightEnvironmentChange } from './preflight/preflight-environment.ts';
import { preflightInstance } from './preflight/preflight-instance.ts';
import { preflightOperator } from './preflight/preflight-operator.ts';
import { evictPod, restartWorkload, runCronJob, scaleResource, showScale, suspendCronJob } from './resource/act-on-resource.ts';
import { listMembers } from './permission/list-members.ts';
import { listPermissions } from './permission/list-permissions.ts';
import { reviewAccess } from './permission/review-access.ts';
import { showResource } from './resource/show-resource.ts';
import { compareSavedConfiguration, listComparableInstances } from './saved-configuration/compare-saved-configuration.ts';
import {
  listChangeableEnvironments,
  listSavedConfigurations,
  listSavedConfigurationVersions,
  showSavedConfiguration,
} from './saved-configuration/list-saved-configurations.ts';
import { changeSavedConfiguration, deleteSavedConfiguration, saveConfiguration } from './saved-configuration/save-configuration.ts';
import { approveUpgrade } from './upgrade/approve-upgrade.ts';
import { previewUpgrade } from './upgrade/preview-upgrade.ts';
import { listProposals, showProposal } from './proposal/list-proposals.ts';
import { listProposalTargets } from './proposal/proposal-targets.ts';
import {
  proposeChange,
  proposeEnvironment,
  proposeEnvironmentChange,
  proposeInstall,
  proposeOperator,
  proposeRequest,
  proposeUpgrade,
} from './proposal/propose.ts';
import { keepDeleted } from './keep-deleted.ts';
import { showEnvironmentOwner, showOperatorOwner, showOwner } from './proposal/show-owner.ts';
import type { Ports } from './ports.ts';

/** Everything that a person can do, by pages and by REST alike. Each takes its ports, the actor and one input. */
const OPERATIONS = {
  approveChangeRequest,
  approvePrune,
  confirmOrigin,
  keepDeleted,
  keepResource,
  approveUpgrade,
  changeSavedConfiguration,
  compareSavedConfiguration,
  countDrafts,
  countInstances,
  copyOf,
  createAccessToken,
  createAppDefinition,
  createChangeRequest,
  createEnvironment,
  createInstance,
  createOperator,
  createRegistrationToken,
  createSource,
  declineChangeRequest,
  deleteEnvironment,
  deleteInstance,
  deleteOperator,
  deleteSavedConfiguration,
  deleteSource,
  deleteUploadedChart,
  environmentPermissions,
  evictPod,
  explainApp,
  installTargets,
  instancePermissions,
  listAccessTokens,
  listAllAccessTokens,
  listAppDefinitions,
  listApps,
  listAuditEvents,
  listChangeRequests,
  listChoices,
  listComparableInstances,
  listDeletedInstances,
  listDeployments,
  listDrafts,
  listEnvironmentResources,
  listEnvironmentWorkloads,
  listEnvironments,
  listEvents,
  listChangeableEnvironments,
  listFaults,
  listInstances,
  listMembers,
  listOperatorDrafts,
  listOperatorEvents,
  listOperatorInstances,
  listOperatorProblems,
  listOperators,
  listPermissions,
  listProposalTargets,
  listProposals,
  listRegistrationTokens,
  listReleaseRevisions,
  listReleases,
  listRevisions,
  listSavedConfigurationVersions,
  listSavedConfigurations,
  listSourceInventory,
  listSources,
  listUploadedCharts,
  listWorkloads,
  me,
  missingForNewAppDefinition,
  missingForNewSource,
  operatorPermissions,
  preflightAppDefinition,
  preflightChange,
  preflightDeletion,
  preflightEnvironment,
  preflightEnvironmentChange,
  preflightInstance,
  preflightOperator,
  preflightRestore,
  preflightRollback,
  preflightSource,
  previewChart,
  previewEnvironmentDeletion,
  previewInstanceMigration,
  previewOperatorDeletion,
  previewRelease,
  previewSource,
  previewSourceDeletion,
  previewSourceRollback,
  previewUpgrade,
  promotionOf,
  proposeChange,
  proposeEnvironment,
  proposeEnvironmentChange,
  proposeInstall,
  proposeOperator,
  proposeRequest,
  proposeSourceRollback,
  proposeUpgrade,
  readInstance,
  registerEnvironment,
  reportDeployment,
  requestInstanceTest,
  requestReinstallation,
  forgetRelease,
  requestOperatorAction,
  requestSourceAction,
  revealConnectionKey,
  restartWorkload,
  restoreInstance,
  restoreOf,
  revokeAccessToken,
  revokeAnyAccessToken,
  revokeRegistrationToken,
  revealValue,
  reviewAccess,
  rollbackInstance,
  rollbackOf,
  rotateRegistrationToken,
  runCronJob,
  saveConfiguration,
  scaleResource,
  setInstanceSleep,
  showApp,
  showAppDefinition,
  showChangeRequest,
  showCiContext,
  showComposition,
  showConnection,
  showEnvironment,
  showEnvironmentMetrics,
  showEnvironmentOwner,
  showEnvironmentStatus,
  showForm,
  showInstance,
  showKubeconfig,
  showLogs,
  showManual,
  showOperator,
  showOperatorLogs,
  showOperatorMetrics,
  showOperatorOwner,
  showOperatorTree,
  showOwner,
  showProposal,
  showRelease,
  showReleaseNotes,
  showReleaseRevision,
  showResource,
  showResourceLogs,
  showSavedConfiguration,
  showScale,
  showSource,
  showTimeline,
  showTierBoard,
  showTree,
  showUploadedChart,
  sourcePermissions,
  suspendCronJob,
  updateEnvironment,
  updateInstance,
  uploadChart,
  withdrawChangeRequest,
};

/** An operation whose ports are given. */
type Bound<F> = F extends (ports: never, ...inputs: infer I) => infer R ? (...inputs: I) => R : never;

/**
 * What pages and routes call. Each operation acts as the actor and throws AppError: `NotFound` also for what the actor may not know of, `Forbidden` with
 * the missing permission, `InvalidInput` with a fault for each field, `Conflict` when the version that was read is not the newest one.
 */
export type Operations = { readonly [N in keyof typeof OPERATIONS]: Bound<(typeof OPERATIONS)[N]> } & {
  /** How many change requests wait for the actor; may be some seconds old. */
  countChangeRequests(actor: Actor): Promise<number>;
  /** The same operations for an actor who looks at something that follows the cluster: what they list comes from watches until the signal aborts. */
  follow(actor: Actor, looking: Looking): Operations;
};

/** Gives all operations their ports. Those that follow share the count, with what it remembers. */
export function bindOperations(ports: Ports, countChangeRequests = createRequestCount(ports)): Operations {
  const bound = Object.entries(OPERATIONS).map(([name, operation]) => {
    const anyOperation = operation as (ports: Ports, ...inputs: readonly unknown[]) => unknown;
    return [name, (...inputs: readonly unknown[]) => anyOperation(ports, ...inputs)];
  });
  const follow: Operations['follow'] = (actor, looking) => bindOperations(followPorts(ports, actor, looking), countChangeRequests);
  return { ...Object.fromEntries(bound), countChangeRequests, follow } as Operations;
}
