import { Router } from 'express';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { changeRequestPath, instancePath } from '../page/paths.ts';
import type { ChangeRequestDraft } from '../../operation/change-request/create-change-request.ts';
import { resourceOf } from '../../domain/proposal/proposal.ts';
import type { RequestState } from '../../domain/change-request/change-request.ts';
import type { Badge } from '../page/badges.ts';
import { dateText } from '../page/time-words.ts';
import type { ChangeRequestList } from '../../operation/change-request/list-change-requests.ts';
import type { ChangeRequestSummary, ChangeRequestView } from '../../operation/change-request/show-change-request.ts';
import { type Review, reviewOf } from '../instance/review.ts';
import { changedValuesView, newValuesView } from '../page/value-changes-view.ts';
import { PROPOSAL_FAULTS, proposed, type ProposePart, proposePart } from '../proposal/proposal-routes.ts';
import { yamlText } from '../page/yaml-text.ts';

/** Change requests: what somebody asks another to do, and the decision. */
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
  const { preflight } = view;
  const sources = preflight === undefined ? [] : await operations.listProposalTargets(visit.actor, resourceOf(preflight.object));
  const moment: RequestMoment = {
    asked: visit.query.has('asked'),
    publicUrl,
    ...proposePart({ sources }, visit.body),
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
  ...PROPOSAL_FAULTS,
  'ChangeRequestClosed',
  'Forbidden',
  'AlreadyExists',
  'AdmissionDenied',
  'QuotaExceeded',
  'WebhookUnavailable',
] as const;

async function decide(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { operations } = deps;
  const { actor, body, requestOrigin } = visit;
  const verdict = { id: visit.param('id'), ...requestOrigin };
  try {
    switch (body.get('_do') ?? '') {
      case 'approve':
        return { redirect: await approve(operations, visit) };
      case 'propose':
        return await proposed(visit, async (wish) => {
          return await operations.proposeRequest(actor, { ...verdict, digest: body.get('digest') ?? '', ...wish });
        });
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

/** Where an approval leads: to the instance, once it is written. */
async function approve(operations: WebDeps['operations'], { actor, body, param, requestOrigin }: Visit): Promise<string> {
  const input = { id: param('id'), digest: body.get('digest') ?? '', ...requestOrigin };
  const written = await operations.approveChangeRequest(actor, input);
  return written === 'pending' ? changeRequestPath(input.id) : instancePath(written);
}

function wordsFor({ code, title, message }: AppError): NonNullable<RequestMoment['rejected']> {
  return { title: code === 'Conflict' ? 'Nothing was written: review the request again' : title, text: message };
}

/** A view of `changeRequests/index`. */
interface ChangeRequestsPage {
  /** What waits for somebody, environment by environment. */
  readonly waiting: readonly { readonly id: string; readonly environment: string; readonly rows: readonly ChangeRequestRow[] }[];
  readonly mine: readonly ChangeRequestRow[];
  readonly none: boolean;
}

/** A view of a row of `parts/change-request-rows`. */
interface ChangeRequestRow {
  readonly href: string;
  readonly title: string;
  readonly app: string;
  readonly environment: string;
  readonly user: string;
  readonly state: Badge;
  readonly created: string;
}

/** A view of `changeRequests/show`. */
interface ChangeRequestPage {
  readonly heading: string;
  readonly name: string;
  readonly user: string;
  /** `install` or `change`. */
  readonly verb: string;
  readonly state: Badge;
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly message: string;
  readonly requesterFindings: readonly string[];
  /** What became of it, once it is closed. */
  readonly ended?: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly instanceHref?: string;
  readonly instanceChanged: boolean;
  readonly preflightError?: string;
  readonly review?: Review;
  readonly yaml: string;
  readonly contentLabel: string;
  readonly action: string;
  /** The digest that an approval sends; absent for who cannot approve it. */
  readonly approve?: string;
  /** The same by kubectl. */
  readonly command?: string;
  /** Whether an approval needs the approver to stay signed in. */
  readonly withToken: boolean;
  /** The digest that a proposal sends, for who may propose it; whoever merges it decides then. */
  readonly propose?: ProposePart & { readonly digest: string };
  readonly decline: boolean;
  readonly withdraw: boolean;
  readonly asked: boolean;
  /** The whole address, for whoever has to send it on. */
  readonly address?: string;
  readonly rejected?: { readonly title: string; readonly text: string };
}

/** The result of an action on the page of a change request. */
interface RequestMoment {
  readonly asked: boolean;
  /** Absent where no source can hold the resource. */
  readonly propose?: ProposePart;
  readonly publicUrl: string;
  readonly rejected?: ChangeRequestPage['rejected'];
}

function changeRequestsPage({ mine, waiting }: ChangeRequestList): ChangeRequestsPage {
  const groups = Map.groupBy(waiting, ({ environment }) => environment);
  return {
    waiting: [...groups]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([environment, changeRequests]) => ({ id: `in-${environment}`, environment, rows: changeRequests.map(changeRequestRow) })),
    mine: mine.map(changeRequestRow),
    none: mine.length + waiting.length === 0,
  };
}

function changeRequestPage(view: ChangeRequestView, { asked, publicUrl, propose, rejected }: RequestMoment): ChangeRequestPage {
  const { changeRequest, preflight, mine, mayDecide, digest, command, preflightError } = view;
  const open = changeRequest.state === 'open';
  const approvable = mayDecide && preflight !== undefined && preflight.verdict !== 'Blocked' && digest !== undefined;
  return {
    heading: changeRequestTitle(changeRequest),
    name: changeRequest.name,
    user: changeRequest.requester.user,
    verb: changeRequest.action,
    state: stateBadge(changeRequest.state),
    facts: factsOf(changeRequest),
    message: changeRequest.message,
    requesterFindings: [...(changeRequest.preflightSummary?.blocked ?? []), ...(changeRequest.preflightSummary?.warned ?? [])],
    ...(open ? {} : { ended: endOf(changeRequest) }),
    ...(changeRequest.state === 'approved' ? { instanceHref: instancePath(changeRequest) } : {}),
    instanceChanged: view.instanceChanged,
    ...(preflightError === undefined ? {} : { preflightError }),
    ...(preflight === undefined ? {} : { review: reviewFor(view, preflight) }),
    yaml: preflight === undefined ? yamlText(changeRequest.content) : preflight.commands.yaml,
    contentLabel: changeRequest.action === 'install' ? 'The spec to install' : 'The changes of the spec; null removes a field',
    action: changeRequestPath(changeRequest.id),
    ...(approvable ? { approve: digest } : {}),
    ...(approvable && command !== undefined ? { command } : {}),
    withToken: view.appliedBy === 'TokenOfApprover',
    ...(open && digest !== undefined && propose !== undefined ? { propose: { ...propose, digest } } : {}),
    decline: open && mayDecide,
    withdraw: open && mine,
    asked,
    ...(open && mine ? { address: `${publicUrl}${changeRequestPath(changeRequest.id)}` } : {}),
    ...(rejected === undefined ? {} : { rejected }),
  };
}

/** What a change request is called: `Install orders`. */
function changeRequestTitle({ action, name }: Pick<ChangeRequestSummary, 'action' | 'name'>): string {
  return `${action === 'install' ? 'Install' : 'Change'} ${name}`;
}

function reviewFor({ changeRequest }: ChangeRequestView, preflight: NonNullable<ChangeRequestView['preflight']>): Review {
  const changes = changeRequest.action === 'install' ? newValuesView(preflight.changes) : changedValuesView(preflight.changes);
  return reviewOf(preflight, { body: new URLSearchParams(), kept: [] }, { changes: { ...changes, layered: false } });
}

function changeRequestRow(changeRequest: ChangeRequestSummary): ChangeRequestRow {
  const { id, app, environment, requester, state, created } = changeRequest;
  return {
    href: changeRequestPath(id),
    title: changeRequestTitle(changeRequest),
    app,
    environment,
    user: requester.user,
    state: stateBadge(state),
    created,
  };
}

function factsOf({ app, environment, requester, created, expires, state }: ChangeRequestSummary): ChangeRequestPage['facts'] {
  return [
    { term: 'App', text: app },
    { term: 'Environment', text: environment },
    { term: 'Asked by', text: requester.user },
    { term: 'Groups', text: requester.groups.join(', ') },
    { term: 'Asked', text: dateText(created) },
    ...(state === 'open' ? [{ term: 'Open until', text: dateText(expires) }] : []),
  ];
}

const BADGES: Readonly<Record<RequestState, Badge>> = {
  open: { label: 'Open', tone: 'busy', symbol: 'busy' },
  approved: { label: 'Approved', tone: 'good', symbol: 'check' },
  failed: { label: 'Failed', tone: 'bad', symbol: 'bad' },
  declined: { label: 'Declined', tone: 'bad', symbol: 'bad' },
  expired: { label: 'Expired', tone: 'idle', symbol: 'pause' },
  withdrawn: { label: 'Withdrawn', tone: 'idle', symbol: 'pause' },
};

function stateBadge(state: RequestState): Badge {
  return BADGES[state];
}

function endOf(changeRequest: ChangeRequestSummary): NonNullable<ChangeRequestPage['ended']> {
  const { tone, symbol = 'info' } = stateBadge(changeRequest.state);
  const { decidedBy = '', decidedAt = '', decisionMessage = '' } = changeRequest;
  const when = decidedAt === '' ? '' : ` on ${dateText(decidedAt)}`;
  return { tone, symbol, title: endTitle(changeRequest.state, `by ${decidedBy}${when}`), text: decisionMessage };
}

function endTitle(state: RequestState, who: string): string {
  if (state === 'expired') return 'Expired without a decision';
  return state === 'failed' ? `Approved ${who}, but not applied` : `${stateBadge(state).label} ${who}`;
}
