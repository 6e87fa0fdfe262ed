import { installTargets } from '../operation/app/install-targets.ts';
import { listApps } from '../operation/app/list-apps.ts';
import { listChoices } from '../operation/app/list-choices.ts';
import { showApp } from '../operation/app/show-app.ts';
import { listAuditEvents } from '../operation/audit/list-audit-events.ts';
import { countDrafts, listDrafts, listOperatorDrafts } from '../operation/catalog/list-drafts.ts';
import { listFaults } from '../operation/catalog/list-faults.ts';
import { createChangeRequest } from '../operation/change-request/create-change-request.ts';
import { approveChangeRequest, declineChangeRequest, withdrawChangeRequest } from '../operation/change-request/decide-change-request.ts';
import { createRequestCount, listChangeRequests } from '../operation/change-request/list-change-requests.ts';
import { showChangeRequest } from '../operation/change-request/show-change-request.ts';
import { listEnvironments } from '../operation/environment/list-environments.ts';
import { showEnvironment } from '../operation/environment/show-environment.ts';
import { createInstance } from '../operation/instance/create-instance.ts';
import { deleteInstance } from '../operation/instance/delete-instance.ts';
import { instancePermissions } from '../operation/instance/instance-permissions.ts';
import { listEvents } from '../operation/instance/list-events.ts';
import { listInstances } from '../operation/instance/list-instances.ts';
import { previewInstanceMigration } from '../operation/instance/preview-migration.ts';
import { revealValue } from '../operation/instance/reveal-value.ts';
import { showInstance } from '../operation/instance/show-instance.ts';
import { showTree } from '../operation/instance/show-tree.ts';
import { updateInstance } from '../operation/instance/update-instance.ts';
import { me } from '../operation/me.ts';
import { countInstances } from '../operation/operator/count-instances.ts';
import { createOperator } from '../operation/operator/create-operator.ts';
import { deleteOperator } from '../operation/operator/delete-operator.ts';
import { listOperatorEvents } from '../operation/operator/list-operator-events.ts';
import { listOperatorInstances } from '../operation/operator/list-operator-instances.ts';
import { listOperatorProblems } from '../operation/operator/list-operator-problems.ts';
import { listOperators } from '../operation/operator/list-operators.ts';
import { operatorPermissions } from '../operation/operator/operator-permissions.ts';
import { previewOperatorDeletion } from '../operation/operator/preview-operator-deletion.ts';
import { requestOperatorAction } from '../operation/operator/request-operator-action.ts';
import { showOperatorTree } from '../operation/operator/show-operator-tree.ts';
import { showOperator } from '../operation/operator/show-operator.ts';
import type { Ports } from '../operation/ports.ts';
import { preflightChange } from '../operation/preflight/preflight-change.ts';
import { preflightDeletion } from '../operation/preflight/preflight-deletion.ts';
import { preflightInstance } from '../operation/preflight/preflight-instance.ts';
import { preflightOperator } from '../operation/preflight/preflight-operator.ts';
import { compareSavedConfiguration, listComparableInstances } from '../operation/saved-configuration/compare-saved-configuration.ts';
import {
  listSavedConfigurations,
  listSavedConfigurationVersions,
  showSavedConfiguration,
} from '../operation/saved-configuration/list-saved-configurations.ts';
import {
  changeSavedConfiguration,
  deleteSavedConfiguration,
  saveConfiguration,
} from '../operation/saved-configuration/save-configuration.ts';
import { approveUpgrade } from '../operation/upgrade/approve-upgrade.ts';
import { previewUpgrade } from '../operation/upgrade/preview-upgrade.ts';
import type { WebOperations } from '../web/ports.ts';
import type { SavedConfigurationOperations } from '../web/saved-configuration/saved-configuration-port.ts';

type ChangeRequestOperation =
  | 'createChangeRequest'
  | 'listChangeRequests'
  | 'countChangeRequests'
  | 'showChangeRequest'
  | 'approveChangeRequest'
  | 'declineChangeRequest'
  | 'withdrawChangeRequest';

type OperatorOperation =
  | 'listOperators'
  | 'countInstances'
  | 'showOperator'
  | 'showOperatorTree'
  | 'listOperatorEvents'
  | 'listOperatorInstances'
  | 'listOperatorProblems'
  | 'previewOperatorDeletion'
  | 'operatorPermissions'
  | 'requestOperatorAction'
  | 'preflightOperator'
  | 'createOperator'
  | 'deleteOperator'
  | 'previewUpgrade'
  | 'approveUpgrade';

/** The operations as the pages take them: each with its ports given. */
export function bindOperations(ports: Ports): WebOperations {
  return {
    me: (actor) => me(ports, actor),
    listApps: (actor, query) => listApps(ports, actor, query),
    showApp: (actor, app) => showApp(ports, actor, app),
    installTargets: (actor, app) => installTargets(ports, actor, app),
    listEnvironments: (actor) => listEnvironments(ports, actor),
    showEnvironment: (actor, environment) => showEnvironment(ports, actor, environment),
    listInstances: (actor, environment) => listInstances(ports, actor, environment),
    instancePermissions: (actor, input) => instancePermissions(ports, actor, input),
    listChoices: (actor, input) => listChoices(ports, actor, input),
    preflightInstance: (actor, draft) => preflightInstance(ports, actor, draft),
    createInstance: (actor, draft) => createInstance(ports, actor, draft),
    showInstance: (actor, address) => showInstance(ports, actor, address),
    revealValue: (actor, input) => revealValue(ports, actor, input),
    showTree: (actor, address) => showTree(ports, actor, address),
    listEvents: (actor, address) => listEvents(ports, actor, address),
    preflightChange: (actor, change) => preflightChange(ports, actor, change),
    updateInstance: (actor, change) => updateInstance(ports, actor, change),
    previewMigration: (actor, address) => previewInstanceMigration(ports, actor, address),
    preflightDeletion: (actor, address) => preflightDeletion(ports, actor, address),
    deleteInstance: (actor, address) => deleteInstance(ports, actor, address),
    ...bindChangeRequests(ports),
    ...bindSavedConfigurations(ports),
    ...bindOperators(ports),
    listFaults: (actor) => listFaults(ports, actor),
    listDrafts: (actor, operator) => listDrafts(ports, actor, operator),
    listOperatorDrafts: (actor, operator) => listOperatorDrafts(ports, actor, operator),
    countDrafts: (actor) => countDrafts(ports, actor),
    listAuditEvents: (actor, query) => listAuditEvents(ports, actor, query),
  };
}

/** The operations on change requests, with their ports given. */
function bindChangeRequests(ports: Ports): Pick<WebOperations, ChangeRequestOperation> {
  return {
    createChangeRequest: (actor, wish) => createChangeRequest(ports, actor, wish),
    listChangeRequests: (actor) => listChangeRequests(ports, actor),
    countChangeRequests: createRequestCount(ports),
    showChangeRequest: (actor, id) => showChangeRequest(ports, actor, id),
    approveChangeRequest: (actor, input) => approveChangeRequest(ports, actor, input),
    declineChangeRequest: (actor, input) => declineChangeRequest(ports, actor, input),
    withdrawChangeRequest: (actor, input) => withdrawChangeRequest(ports, actor, input),
  };
}

/** The operations on Operators, with their ports given. */
function bindOperators(ports: Ports): Pick<WebOperations, OperatorOperation> {
  return {
    listOperators: (actor, filter) => listOperators(ports, actor, filter),
    countInstances: (actor, names) => countInstances(ports, actor, names),
    showOperator: (actor, operator) => showOperator(ports, actor, operator),
    showOperatorTree: (actor, operator) => showOperatorTree(ports, actor, operator),
    listOperatorEvents: (actor, operator) => listOperatorEvents(ports, actor, operator),
    listOperatorInstances: (actor, operator) => listOperatorInstances(ports, actor, operator),
    listOperatorProblems: (actor, input) => listOperatorProblems(ports, actor, input),
    previewOperatorDeletion: (actor, operator) => previewOperatorDeletion(ports, actor, operator),
    operatorPermissions: (actor, operator) => operatorPermissions(ports, actor, operator),
    requestOperatorAction: async (actor, input) => {
      await requestOperatorAction(ports, actor, { ...input, at: new Date().toISOString() });
    },
    preflightOperator: (actor, operator) => preflightOperator(ports, actor, operator),
    createOperator: (actor, input) => createOperator(ports, actor, input),
    deleteOperator: (actor, operator) => deleteOperator(ports, actor, operator),
    previewUpgrade: (actor, input) => previewUpgrade(ports, actor, input),
    approveUpgrade: async (actor, input) => {
      await approveUpgrade(ports, actor, input);
    },
  };
}

/** The operations on saved configurations, with their ports given. */
function bindSavedConfigurations(ports: Ports): SavedConfigurationOperations {
  return {
    listSavedConfigurations: (actor, query) => listSavedConfigurations(ports, actor, query),
    showSavedConfiguration: (actor, id) => showSavedConfiguration(ports, actor, id),
    listSavedConfigurationVersions: (actor, id) => listSavedConfigurationVersions(ports, actor, id),
    compareSavedConfiguration: (actor, input) => compareSavedConfiguration(ports, actor, input),
    listComparableInstances: (actor, app) => listComparableInstances(ports, actor, app),
    saveConfiguration: (actor, draft) => saveConfiguration(ports, actor, draft),
    changeSavedConfiguration: (actor, change) => changeSavedConfiguration(ports, actor, change),
    deleteSavedConfiguration: (actor, input) => deleteSavedConfiguration(ports, actor, input),
  };
}
