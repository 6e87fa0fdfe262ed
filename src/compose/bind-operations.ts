import { approveUpgrade } from '../operation/approve-upgrade.ts';
import { countInstances } from '../operation/count-instances.ts';
import { createInstance } from '../operation/create-instance.ts';
import { createOperator } from '../operation/create-operator.ts';
import { deleteInstance } from '../operation/delete-instance.ts';
import { deleteOperator } from '../operation/delete-operator.ts';
import { installTargets } from '../operation/install-targets.ts';
import { instanceRights } from '../operation/instance-rights.ts';
import { listApps } from '../operation/list-apps.ts';
import { listChoices } from '../operation/list-choices.ts';
import { listEnvironments } from '../operation/list-environments.ts';
import { listEvents } from '../operation/list-events.ts';
import { listFaults } from '../operation/list-faults.ts';
import { listInstances } from '../operation/list-instances.ts';
import { listOperatorEvents } from '../operation/list-operator-events.ts';
import { listOperatorInstances } from '../operation/list-operator-instances.ts';
import { listOperatorProblems } from '../operation/list-operator-problems.ts';
import { listOperators } from '../operation/list-operators.ts';
import { me } from '../operation/me.ts';
import { operatorRights } from '../operation/operator-rights.ts';
import { planInstanceMigration } from '../operation/plan-migration.ts';
import { planOperatorDeletion } from '../operation/plan-operator-deletion.ts';
import { planOperatorUpgrade } from '../operation/plan-operator-upgrade.ts';
import type { Ports } from '../operation/ports.ts';
import { preflightChange } from '../operation/preflight-change.ts';
import { preflightDeletion } from '../operation/preflight-deletion.ts';
import { preflightInstance } from '../operation/preflight-instance.ts';
import { preflightOperator } from '../operation/preflight-operator.ts';
import { showApp } from '../operation/show-app.ts';
import { showEnvironment } from '../operation/show-environment.ts';
import { showInstance } from '../operation/show-instance.ts';
import { showOperatorTree } from '../operation/show-operator-tree.ts';
import { showOperator } from '../operation/show-operator.ts';
import { showTree } from '../operation/show-tree.ts';
import { steerOperator } from '../operation/steer-operator.ts';
import { updateInstance } from '../operation/update-instance.ts';
import type { WebOperations } from '../web/ports.ts';
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
    showTree: (actor, address) => showTree(ports, actor, address),
    listEvents: (actor, address) => listEvents(ports, actor, address),
    preflightChange: (actor, change) => preflightChange(ports, actor, change),
    updateInstance: (actor, change) => updateInstance(ports, actor, change),
    planMigration: (actor, address) => planInstanceMigration(ports, actor, address),
    preflightDeletion: (actor, address) => preflightDeletion(ports, actor, address),
    deleteInstance: (actor, address) => deleteInstance(ports, actor, address),
    ...bindPlans(ports),
    ...bindRecipes(ports),
    listOperators: (actor, filter) => listOperators(ports, actor, filter),
    countInstances: (actor, names) => countInstances(ports, actor, names),
    showOperator: (actor, operator) => showOperator(ports, actor, operator),
    showOperatorTree: (actor, operator) => showOperatorTree(ports, actor, operator),
    listOperatorEvents: (actor, operator) => listOperatorEvents(ports, actor, operator),
    listOperatorInstances: (actor, operator) => listOperatorInstances(ports, actor, operator),
    listOperatorProblems: (actor, input) => listOperatorProblems(ports, actor, input),
    planOperatorDeletion: (actor, operator) => planOperatorDeletion(ports, actor, operator),
    operatorRights: (actor, operator) => operatorRights(ports, actor, operator),
    steerOperator: async (actor, { namespace, name, step }) => {
      await steerOperator(ports, actor, { namespace, name, step, at: new Date().toISOString() });
    },
    preflightOperator: (actor, operator) => preflightOperator(ports, actor, operator),
    createOperator: (actor, operator) => createOperator(ports, actor, operator),
    deleteOperator: (actor, operator) => deleteOperator(ports, actor, operator),
    planOperatorUpgrade: (actor, input) => planOperatorUpgrade(ports, actor, input),
    approveUpgrade: async (actor, input) => {
      await approveUpgrade(ports, actor, input);
    },
    listFaults: (actor) => listFaults(ports, actor),
  };
}
