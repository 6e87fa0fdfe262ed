import { createInstance } from '../operation/create-instance.ts';
import { deleteInstance } from '../operation/delete-instance.ts';
import { installTargets } from '../operation/install-targets.ts';
import { instanceRights } from '../operation/instance-rights.ts';
import { listApps } from '../operation/list-apps.ts';
import { listChoices } from '../operation/list-choices.ts';
import { listEnvironments } from '../operation/list-environments.ts';
import { listEvents } from '../operation/list-events.ts';
import { listFaults } from '../operation/list-faults.ts';
import { listJournal } from '../operation/list-journal.ts';
import { listInstances } from '../operation/list-instances.ts';
import { me } from '../operation/me.ts';
import { planInstanceMigration } from '../operation/plan-migration.ts';
import type { Ports } from '../operation/ports.ts';
import { preflightChange } from '../operation/preflight-change.ts';
import { preflightDeletion } from '../operation/preflight-deletion.ts';
import { preflightInstance } from '../operation/preflight-instance.ts';
import { revealValue } from '../operation/reveal-value.ts';
import { showApp } from '../operation/show-app.ts';
import { showEnvironment } from '../operation/show-environment.ts';
import { showInstance } from '../operation/show-instance.ts';
import { showTree } from '../operation/show-tree.ts';
import { updateInstance } from '../operation/update-instance.ts';
import type { WebOperations } from '../web/ports.ts';
import { bindOperators } from './bind-operators.ts';
import { bindPlans } from './bind-plans.ts';
import { bindRecipes } from './bind-recipes.ts';

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
    instanceRights: (actor, input) => instanceRights(ports, actor, input),
    listChoices: (actor, input) => listChoices(ports, actor, input),
    preflightInstance: (actor, draft) => preflightInstance(ports, actor, draft),
    createInstance: (actor, draft) => createInstance(ports, actor, draft),
    showInstance: (actor, address) => showInstance(ports, actor, address),
    revealValue: (actor, input) => revealValue(ports, actor, input),
    showTree: (actor, address) => showTree(ports, actor, address),
    listEvents: (actor, address) => listEvents(ports, actor, address),
    preflightChange: (actor, change) => preflightChange(ports, actor, change),
    updateInstance: (actor, change) => updateInstance(ports, actor, change),
    planMigration: (actor, address) => planInstanceMigration(ports, actor, address),
    preflightDeletion: (actor, address) => preflightDeletion(ports, actor, address),
    deleteInstance: (actor, address) => deleteInstance(ports, actor, address),
    ...bindPlans(ports),
    ...bindRecipes(ports),
    ...bindOperators(ports),
    listFaults: (actor) => listFaults(ports, actor),
    listJournal: (actor, query) => listJournal(ports, actor, query),
  };
}
