import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { hasPermission, verbOf } from './request-access.ts';
import type { Ports } from '../ports.ts';
import { changeRequestSummary, type ChangeRequestSummary } from './show-change-request.ts';

/** The change requests of somebody, the newest first. */
export interface ChangeRequestList {
  /** What they asked for. */
  readonly mine: readonly ChangeRequestSummary[];
  /** What others ask for and they may decide. */
  readonly waiting: readonly ChangeRequestSummary[];
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'changeRequests'>;
type May = (actor: Actor, changeRequest: ChangeRequest) => Promise<boolean>;

/** What the actor asked for, and what waits for them. */
export async function listChangeRequests(ports: Needs, actor: Actor): Promise<ChangeRequestList> {
  const all = await plansHere(ports);
  const mine = all.filter(({ requester }) => requester.user === actor.user);
  const waiting = await waitingFor(
    all,
    actor,
    onceEach(async (who, changeRequest) => await hasPermission(ports, who, { ...changeRequest, verb: verbOf(changeRequest) })),
  );
  return { mine: mine.map(changeRequestSummary), waiting: waiting.map(changeRequestSummary) };
}

const REMEMBERED_MS = 15_000;
const REMEMBERED = 2_000;

/** Counts what waits for somebody, for every page: permissions are asked for again only after some seconds. Decides nothing. */
export function createRequestCount(ports: Needs): (actor: Actor) => Promise<number> {
  const verdicts = new LRUCache<string, { readonly until: number; readonly may: Promise<boolean> }>({ max: REMEMBERED });
  const may: May = (actor, changeRequest) => {
    const key = JSON.stringify([actor.user, actor.groups, targetOf(changeRequest)]);
    const now = ports.changeRequests.now();
    const known = verdicts.get(key);
    if (known !== undefined && known.until > now) return known.may;
    const asked = hasPermission(ports, actor, { ...changeRequest, verb: verbOf(changeRequest) });
    verdicts.set(key, { until: now + REMEMBERED_MS, may: asked });
    asked.catch(() => verdicts.delete(key));
    return asked;
  };
  return async (actor) => (await waitingFor(await plansHere(ports), actor, may)).length;
}

async function plansHere({ changeRequests }: Needs): Promise<readonly ChangeRequest[]> {
  const all = await changeRequests.table.list();
  if (all.length === 0) return all;
  const cluster = await changeRequests.cluster();
  return all.filter((changeRequest) => changeRequest.cluster === cluster);
}

async function waitingFor(all: readonly ChangeRequest[], actor: Actor, may: May): Promise<ChangeRequest[]> {
  const others = all.filter(({ state, requester }) => state === 'open' && requester.user !== actor.user);
  const allowed = await pMap(others, async (changeRequest) => await may(actor, changeRequest), { concurrency: 8 });
  return others.filter((_plan, index) => allowed[index]);
}

/** The same question is asked once. */
function onceEach(may: May): May {
  const asked = new Map<string, Promise<boolean>>();
  return (actor, changeRequest) => {
    const key = targetOf(changeRequest);
    const answer = asked.get(key) ?? may(actor, changeRequest);
    asked.set(key, answer);
    return answer;
  };
}

function targetOf({ environment, app, action }: ChangeRequest): string {
  return JSON.stringify([environment, app, action]);
}
