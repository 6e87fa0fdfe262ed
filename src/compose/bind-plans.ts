import { askPlan } from '../operation/change-request/create-change-request.ts';
import { approvePlan, declinePlan, withdrawPlan } from '../operation/change-request/decide-change-request.ts';
import { createPlanCount, listPlans } from '../operation/change-request/list-change-requests.ts';
import type { Ports } from '../operation/ports.ts';
import { showPlan } from '../operation/change-request/show-change-request.ts';
import type { WebOperations } from '../web/ports.ts';

type PlanOperation = 'askPlan' | 'listPlans' | 'countPlans' | 'showPlan' | 'approvePlan' | 'declinePlan' | 'withdrawPlan';

/** The operations on plans, with their ports given. */
export function bindPlans(ports: Ports): Pick<WebOperations, PlanOperation> {
  return {
    askPlan: (actor, wish) => askPlan(ports, actor, wish),
    listPlans: (actor) => listPlans(ports, actor),
    countPlans: createPlanCount(ports),
    showPlan: (actor, id) => showPlan(ports, actor, id),
    approvePlan: (actor, input) => approvePlan(ports, actor, input),
    declinePlan: (actor, input) => declinePlan(ports, actor, input),
    withdrawPlan: (actor, input) => withdrawPlan(ports, actor, input),
  };
}
