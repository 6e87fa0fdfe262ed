import { Router } from 'express';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, changeRequestPath } from '../page/paths.ts';
import { type RequestMoment, changeRequestPage, changeRequestsPage, changeRequestTitle } from './change-request-page.ts';
import type { ChangeRequestDraft } from '../../operation/change-request/create-change-request.ts';

/** Plans: what somebody asks another to do, and deciding it. */
export function changeRequestRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/change-requests',
    page(deps, async ({ actor }) => {
      const model = changeRequestsPage(await deps.operations.listChangeRequests(actor));
      return { view: 'change-requests/index', title: 'Requests', section: 'changeRequests', model };
    }),
  );
  router.get(
    '/change-requests/:id',
    page(deps, async (visit) => await show(deps, visit)),
  );
  router.post(
    '/change-requests/:id',
    page(deps, async (visit) => await decide(deps, visit)),
  );
  return router;
}

/** Keeps what a review shows as a change request, and goes there. */
export async function requestApproval(
  { operations }: WebDeps,
  { actor, body, requestOrigin }: Visit,
  wish: Omit<ChangeRequestDraft, 'message' | keyof RequestOrigin>,
): Promise<Answer> {
  const changeRequest = await operations.createChangeRequest(actor, { ...wish, message: body.get('_message') ?? '', ...requestOrigin });
  return { redirect: `${changeRequestPath(changeRequest.id)}?asked` };
}

async function show({ operations, publicUrl }: WebDeps, visit: Visit, rejection?: AppError): Promise<Answer> {
  const view = await operations.showChangeRequest(visit.actor, visit.param('id'));
  const moment: RequestMoment = {
    asked: visit.query.has('asked'),
    publicUrl,
    ...(rejection === undefined ? {} : { rejected: wordsFor(rejection) }),
  };
  const title = changeRequestTitle(view.changeRequest);
  return {
    view: 'change-requests/show',
    title: `${rejection === undefined ? '' : 'Error: '}${title}`,
    section: 'changeRequests',
    crumbs: [{ label: 'Requests', href: '/change-requests' }, { label: title }],
    model: changeRequestPage(view, moment),
    ...(rejection === undefined ? {} : { status: rejection.status }),
  };
}

/** What the page shows in place of an error, with the change request as it is now. */
const SHOWN = [
  'Conflict',
  'ChangeRequestClosed',
  'Forbidden',
  'AlreadyExists',
  'AdmissionDenied',
  'QuotaExceeded',
  'InvalidInput',
  'WebhookUnavailable',
] as const;

async function decide(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { operations } = deps;
  const { actor, body, requestOrigin } = visit;
  const verdict = { id: visit.param('id'), ...requestOrigin };
  try {
    switch (body.get('_do') ?? '') {
      case 'approve':
        return { redirect: instancePath(await operations.approveChangeRequest(actor, { ...verdict, digest: body.get('digest') ?? '' })) };
      case 'decline':
        await operations.declineChangeRequest(actor, { ...verdict, reason: body.get('reason') ?? '' });
        break;
      case 'withdraw':
        await operations.withdrawChangeRequest(actor, verdict);
        break;
      default:
        break;
    }
    return { redirect: changeRequestPath(verdict.id) };
  } catch (error) {
    if (!isAppError(error, ...SHOWN)) throw error;
    return await show(deps, visit, error);
  }
}

function wordsFor({ code, title, message }: AppError): NonNullable<RequestMoment['rejected']> {
  return { title: code === 'Conflict' ? 'Nothing was written: review the request again' : title, text: message };
}
