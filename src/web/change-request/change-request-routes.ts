import { Router } from 'express';
import type { Asking } from '../../domain/audit/audit-log.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, planPath } from '../page/paths.ts';
import { type PlanMoment, planPage, plansPage, planTitle } from './change-request-page.ts';
import type { PlanWish } from '../ports.ts';

/** Plans: what somebody asks another to do, and deciding it. */
export function planRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/plans',
    page(deps, async ({ actor }) => {
      const model = plansPage(await deps.operations.listPlans(actor));
      return { view: 'plans/index', title: 'Plans', section: 'plans', model };
    }),
  );
  router.get(
    '/plans/:id',
    page(deps, async (visit) => await show(deps, visit)),
  );
  router.post(
    '/plans/:id',
    page(deps, async (visit) => await decide(deps, visit)),
  );
  return router;
}

/** Keeps what a review shows as a plan, and goes there. */
export async function askSomebody(
  { operations }: WebDeps,
  { actor, body, asking }: Visit,
  wish: Omit<PlanWish, 'message' | keyof Asking>,
): Promise<Answer> {
  const plan = await operations.askPlan(actor, { ...wish, message: body.get('_message') ?? '', ...asking });
  return { redirect: `${planPath(plan.id)}?asked` };
}

async function show({ operations, publicUrl }: WebDeps, visit: Visit, refusal?: AppError): Promise<Answer> {
  const view = await operations.showPlan(visit.actor, visit.param('id'));
  const moment: PlanMoment = {
    asked: visit.query.has('asked'),
    publicUrl,
    ...(refusal === undefined ? {} : { refused: wordsFor(refusal) }),
  };
  const title = planTitle(view.plan);
  return {
    view: 'plans/show',
    title: `${refusal === undefined ? '' : 'Error: '}${title}`,
    section: 'plans',
    crumbs: [{ label: 'Plans', href: '/plans' }, { label: title }],
    model: planPage(view, moment),
    ...(refusal === undefined ? {} : { status: refusal.status }),
  };
}

/** What the page shows in place of an error, with the plan as it is now. */
const SHOWN = [
  'Conflict',
  'PlanClosed',
  'Forbidden',
  'AlreadyExists',
  'AdmissionDenied',
  'QuotaExceeded',
  'InvalidInput',
  'WebhookUnavailable',
] as const;

async function decide(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { operations } = deps;
  const { actor, body, asking } = visit;
  const verdict = { id: visit.param('id'), ...asking };
  try {
    switch (body.get('_do') ?? '') {
      case 'approve':
        return { redirect: instancePath(await operations.approvePlan(actor, { ...verdict, digest: body.get('digest') ?? '' })) };
      case 'decline':
        await operations.declinePlan(actor, { ...verdict, word: body.get('word') ?? '' });
        break;
      case 'withdraw':
        await operations.withdrawPlan(actor, verdict);
        break;
      default:
        break;
    }
    return { redirect: planPath(verdict.id) };
  } catch (error) {
    if (!isAppError(error, ...SHOWN)) throw error;
    return await show(deps, visit, error);
  }
}

function wordsFor({ code, title, message }: AppError): NonNullable<PlanMoment['refused']> {
  return { title: code === 'Conflict' ? 'Nothing was written: look at it again' : title, text: message };
}
