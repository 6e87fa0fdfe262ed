import type { PlanState } from '../../domain/change-request/change-request.ts';
import type { Badge } from '../page/badges.ts';
import { dateText } from '../page/time-words.ts';
import { instancePath, planPath } from '../page/paths.ts';
import type { PlanList, PlanSummary, PlanView } from '../ports.ts';
import { type Review, reviewOf } from '../instance/review.ts';
import { changedValuesView, newValuesView } from '../page/value-changes-view.ts';
import { yamlText } from '../page/yaml-text.ts';

/** A view of `plans/index`. */
export interface PlansPage {
  /** What waits for somebody, environment by environment. */
  readonly waiting: readonly { readonly id: string; readonly environment: string; readonly rows: readonly PlanRow[] }[];
  readonly mine: readonly PlanRow[];
  readonly none: boolean;
}

/** A view of a row of `parts/plan-rows`. */
export interface PlanRow {
  readonly href: string;
  readonly title: string;
  readonly app: string;
  readonly environment: string;
  readonly user: string;
  readonly state: Badge;
  readonly created: string;
}

/** A view of `plans/show`. */
export interface PlanPage {
  readonly heading: string;
  readonly name: string;
  readonly user: string;
  /** `install` or `change`. */
  readonly verb: string;
  readonly state: Badge;
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly message: string;
  readonly told: readonly string[];
  /** What became of it, once it is closed. */
  readonly ended?: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly instanceHref?: string;
  readonly moved: boolean;
  readonly obstacle?: string;
  readonly review?: Review;
  readonly yaml: string;
  readonly contentLabel: string;
  readonly action: string;
  /** The digest that an approval sends; absent for who cannot approve it. */
  readonly approve?: string;
  readonly decline: boolean;
  readonly withdraw: boolean;
  readonly asked: boolean;
  /** The whole address, for whoever has to send it on. */
  readonly address?: string;
  readonly refused?: { readonly title: string; readonly text: string };
}

/** What happened to a page of a plan just now. */
export interface PlanMoment {
  readonly asked: boolean;
  readonly publicUrl: string;
  readonly refused?: PlanPage['refused'];
}

export function plansPage({ mine, waiting }: PlanList): PlansPage {
  const groups = Map.groupBy(waiting, ({ environment }) => environment);
  return {
    waiting: [...groups]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([environment, plans]) => ({ id: `in-${environment}`, environment, rows: plans.map(planRow) })),
    mine: mine.map(planRow),
    none: mine.length + waiting.length === 0,
  };
}

export function planPage(view: PlanView, { asked, publicUrl, refused }: PlanMoment): PlanPage {
  const { plan, preflight, mine, mayDecide, digest, obstacle } = view;
  const open = plan.state === 'open';
  const approvable = mayDecide && preflight?.verdict === 'Ready' && digest !== undefined;
  return {
    heading: planTitle(plan),
    name: plan.name,
    user: plan.requester.user,
    verb: plan.action,
    state: stateBadge(plan.state),
    facts: factsOf(plan),
    message: plan.message,
    told: [...plan.found.blocked, ...plan.found.warned],
    ...(open ? {} : { ended: endOf(plan) }),
    ...(plan.state === 'approved' ? { instanceHref: instancePath(plan) } : {}),
    moved: view.moved,
    ...(obstacle === undefined ? {} : { obstacle }),
    ...(preflight === undefined ? {} : { review: reviewFor(view, preflight) }),
    yaml: preflight === undefined ? yamlText(plan.content) : preflight.commands.yaml,
    contentLabel: plan.action === 'install' ? 'The spec to install' : 'The changes of the spec; null takes a field away',
    action: planPath(plan.id),
    ...(approvable ? { approve: digest } : {}),
    decline: open && mayDecide && !mine,
    withdraw: open && mine,
    asked,
    ...(open && mine ? { address: `${publicUrl}${planPath(plan.id)}` } : {}),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** What a plan is called: `Install orders`. */
export function planTitle({ action, name }: Pick<PlanSummary, 'action' | 'name'>): string {
  return `${action === 'install' ? 'Install' : 'Change'} ${name}`;
}

function reviewFor({ plan }: PlanView, preflight: NonNullable<PlanView['preflight']>): Review {
  const changes = plan.action === 'install' ? newValuesView(preflight.changes) : changedValuesView(preflight.changes);
  return reviewOf(preflight, new URLSearchParams(), { changes: { ...changes, layered: false } });
}

function planRow(plan: PlanSummary): PlanRow {
  const { id, app, environment, requester, state, created } = plan;
  return { href: planPath(id), title: planTitle(plan), app, environment, user: requester.user, state: stateBadge(state), created };
}

function factsOf({ app, environment, requester, created, expires, state }: PlanSummary): PlanPage['facts'] {
  return [
    { term: 'App', text: app },
    { term: 'Environment', text: environment },
    { term: 'Asked by', text: requester.user },
    { term: 'Groups', text: requester.groups.join(', ') },
    { term: 'Asked', text: dateText(created) },
    ...(state === 'open' ? [{ term: 'Open until', text: dateText(expires) }] : []),
  ];
}

const BADGES: Readonly<Record<PlanState, Badge>> = {
  open: { word: 'Open', tone: 'busy', symbol: 'busy' },
  approved: { word: 'Approved', tone: 'good', symbol: 'check' },
  declined: { word: 'Declined', tone: 'bad', symbol: 'bad' },
  expired: { word: 'Expired', tone: 'idle', symbol: 'pause' },
  withdrawn: { word: 'Withdrawn', tone: 'idle', symbol: 'pause' },
};

function stateBadge(state: PlanState): Badge {
  return BADGES[state];
}

function endOf(plan: PlanSummary): NonNullable<PlanPage['ended']> {
  const { tone, symbol = 'info' } = stateBadge(plan.state);
  const { decidedBy = '', decidedAt = '', outcome = '' } = plan;
  const when = decidedAt === '' ? '' : ` on ${dateText(decidedAt)}`;
  const title = plan.state === 'expired' ? 'Nobody decided in time' : `${stateBadge(plan.state).word} by ${decidedBy}${when}`;
  return { tone, symbol, title, text: outcome };
}
