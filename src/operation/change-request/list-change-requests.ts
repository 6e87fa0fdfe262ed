import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { SharedPlan } from '../../domain/change-request/change-request.ts';
import { mayDo, verbOf } from './request-access.ts';
import type { Ports } from '../ports.ts';
import { planSummary, type PlanSummary } from './show-change-request.ts';

/** The plans of somebody, the newest first. */
export interface PlanList {
  /** What they asked for. */
  readonly mine: readonly PlanSummary[];
  /** What others ask for and they may decide. */
  readonly waiting: readonly PlanSummary[];
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'plans'>;
type May = (actor: Actor, plan: SharedPlan) => Promise<boolean>;

/** What the actor asked for, and what waits for them. */
export async function listPlans(ports: Needs, actor: Actor): Promise<PlanList> {
  const all = await plansHere(ports);
  const mine = all.filter(({ requester }) => requester.user === actor.user);
  const waiting = await waitingFor(
    all,
    actor,
    onceEach(async (who, plan) => await mayDo(ports, who, { ...plan, verb: verbOf(plan) })),
  );
  return { mine: mine.map(planSummary), waiting: waiting.map(planSummary) };
}

const REMEMBERED_MS = 15_000;
const REMEMBERED = 2_000;

/** Counts what waits for somebody, for every page: rights are asked for again only after some seconds. Decides nothing. */
export function createPlanCount(ports: Needs): (actor: Actor) => Promise<number> {
  const verdicts = new Map<string, { readonly until: number; readonly may: Promise<boolean> }>();
  const may: May = (actor, plan) => {
    const key = JSON.stringify([actor.user, actor.groups, targetOf(plan)]);
    const now = ports.plans.now();
    const known = verdicts.get(key);
    if (known !== undefined && known.until > now) return known.may;
    if (verdicts.size >= REMEMBERED) verdicts.clear();
    const asked = mayDo(ports, actor, { ...plan, verb: verbOf(plan) });
    verdicts.set(key, { until: now + REMEMBERED_MS, may: asked });
    asked.catch(() => verdicts.delete(key));
    return asked;
  };
  return async (actor) => (await waitingFor(await plansHere(ports), actor, may)).length;
}

async function plansHere({ plans }: Needs): Promise<readonly SharedPlan[]> {
  const all = await plans.table.list();
  if (all.length === 0) return all;
  const cluster = await plans.cluster();
  return all.filter((plan) => plan.cluster === cluster);
}

async function waitingFor(all: readonly SharedPlan[], actor: Actor, may: May): Promise<SharedPlan[]> {
  const others = all.filter(({ state, requester }) => state === 'open' && requester.user !== actor.user);
  const allowed = await pMap(others, async (plan) => await may(actor, plan), { concurrency: 8 });
  return others.filter((_plan, index) => allowed[index]);
}

/** The same question is asked once. */
function onceEach(may: May): May {
  const asked = new Map<string, Promise<boolean>>();
  return (actor, plan) => {
    const key = targetOf(plan);
    const answer = asked.get(key) ?? may(actor, plan);
    asked.set(key, answer);
    return answer;
  };
}

function targetOf({ environment, app, action }: SharedPlan): string {
  return JSON.stringify([environment, app, action]);
}
