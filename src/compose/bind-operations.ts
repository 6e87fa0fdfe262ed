import { createInstance } from '../operation/instance/create-instance.ts';
import { deleteInstance } from '../operation/instance/delete-instance.ts';
import { installTargets } from '../operation/app/install-targets.ts';
import { instancePermissions } from '../operation/instance/instance-permissions.ts';
import { listApps } from '../operation/app/list-apps.ts';
import { listChoices } from '../operation/app/list-choices.ts';
import { listEnvironments } from '../operation/environment/list-environments.ts';
import { listEvents } from '../operation/instance/list-events.ts';
import { countDrafts, listDrafts, listOperatorDrafts } from '../operation/catalog/list-drafts.ts';
import { listFaults } from '../operation/catalog/list-faults.ts';
import { listAuditEvents } from '../operation/audit/list-audit-events.ts';
import { listInstances } from '../operation/instance/list-instances.ts';
import { me } from '../operation/me.ts';
import { previewInstanceMigration } from '../operation/instance/preview-migration.ts';
import type { Ports } from '../operation/ports.ts';
import { preflightChange } from '../operation/preflight/preflight-change.ts';
import { preflightDeletion } from '../operation/preflight/preflight-deletion.ts';
import { preflightInstance } from '../operation/preflight/preflight-instance.ts';
import { revealValue } from '../operation/instance/reveal-value.ts';
import { showApp } from '../operation/app/show-app.ts';
import { showEnvironment } from '../operation/environment/show-environment.ts';
import { showInstance } from '../operation/instance/show-instance.ts';
import { showTree } from '../operation/instance/show-tree.ts';
import { updateInstance } from '../operation/instance/update-instance.ts';
import type { WebOperations } from '../web/ports.ts';
import { bindOperators } from './bind-operators.ts';
import { bindChangeRequests } from './bind-change-requests.ts';
import { bindSavedConfigurations } from './bind-saved-configurations.ts';

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
