import { Router } from 'express';
import { isAppError } from '../domain/errors.ts';
import type { UpgradePlan } from '../domain/upgrade-plan/plan.ts';
import { operatorCrumbs } from './operator-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from './page.ts';
import { operatorPath } from './paths.ts';
import type { OperatorAddress } from './ports.ts';
import { upgradePage, type UpgradeOutcome } from './upgrade-page.ts';

const ROUTE = '/operators/:namespace/:name/upgrade';

/** What moving an Operator to another version would do, and the approval of it. */
export function upgradeRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => {
      const approved = visit.query.has('approved') ? ({ approved: 'approved' } as const) : {};
      return await show(deps, visit, visit.query.get('version') ?? '', approved);
    }),
  );
  router.post(
    ROUTE,
    page(deps, (visit) => approve(deps, visit)),
  );
  return router;
}

async function show({ operations }: WebDeps, visit: Visit, version: string, outcome: UpgradeOutcome): Promise<Answer> {
  const plan = await operations.planOperatorUpgrade(visit.actor, { ...addressOf(visit), version });
  return answerOf(plan, upgradePage(plan, outcome), outcome);
}

function answerOf(plan: UpgradePlan, model: object, { refused }: UpgradeOutcome): Answer {
  return {
    view: 'operators/upgrade',
    title: `${refused === undefined ? '' : 'Error: '}Upgrade of ${plan.displayName}`,
    section: 'operators',
    crumbs: operatorCrumbs(plan, 'Upgrade'),
    model,
    ...(refused === undefined ? {} : { status: 409 }),
  };
}

async function approve(deps: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const version = visit.body.get('version') ?? '';
  try {
    await deps.operations.approveUpgrade(visit.actor, { ...address, version, digest: visit.body.get('digest') ?? '', ...visit.asking });
  } catch (error) {
    if (!isAppError(error, 'ApprovalRefused')) throw error;
    return await show(deps, visit, version, { refused: error.message });
  }
  return { redirect: `${operatorPath(address, 'upgrade')}?version=${encodeURIComponent(version)}&approved` };
}

function addressOf(visit: Visit): OperatorAddress {
  return { namespace: visit.param('namespace'), name: visit.param('name') };
}
