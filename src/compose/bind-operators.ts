import { approveUpgrade } from '../operation/upgrade/approve-upgrade.ts';
import { countInstances } from '../operation/operator/count-instances.ts';
import { createOperator } from '../operation/operator/create-operator.ts';
import { deleteOperator } from '../operation/operator/delete-operator.ts';
import { listOperatorEvents } from '../operation/operator/list-operator-events.ts';
import { listOperatorInstances } from '../operation/operator/list-operator-instances.ts';
import { listOperatorProblems } from '../operation/operator/list-operator-problems.ts';
import { listOperators } from '../operation/operator/list-operators.ts';
import { operatorPermissions } from '../operation/operator/operator-permissions.ts';
import { previewOperatorDeletion } from '../operation/operator/preview-operator-deletion.ts';
import { previewUpgrade } from '../operation/upgrade/preview-upgrade.ts';
import { preflightOperator } from '../operation/preflight/preflight-operator.ts';
import { showOperator } from '../operation/operator/show-operator.ts';
import { showOperatorTree } from '../operation/operator/show-operator-tree.ts';
import { requestOperatorAction } from '../operation/operator/request-operator-action.ts';
import type { Ports } from '../operation/ports.ts';
import type { WebOperations } from '../web/ports.ts';

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

/** The operations on Operators, with their ports given. */
export function bindOperators(ports: Ports): Pick<WebOperations, OperatorOperation> {
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
