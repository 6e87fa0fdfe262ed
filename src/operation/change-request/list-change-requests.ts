import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import { mayApproveIn, mayDecide, requestsIn, type RequestNeeds, requestWrites, visibleRequests } from './request-access.ts';
import { changeRequestSummary, type ChangeRequestSummary } from './show-change-request.ts';

/** The change requests of somebody, the newest first. */
export interface ChangeRequestList {
  /** What they asked for. */
  readonly mine: readonly ChangeRequestSummary[];
  /** What others ask for and they may decide. */
  readonly waiting: readonly ChangeRequestSummary[];
}

/** What the actor asked for, and what waits for them. */
export async function listChangeRequests(ports: RequestNeeds, actor: Actor): Promise<ChangeRequestList> {
  const all = await visibleRequests(ports, actor);
  const mine = all.filter(({ requester }) => requester.user === actor.user);
  const waiting = await waitingFor(actor, all, mayOnce(ports, actor));
  return { mine: mine.map(changeRequestSummary), waiting: waiting.map(changeRequestSummary) };
}

const REMEMBERED_MS = 15_000;
const COUNTED_MS = 10_000;
const REMEMBERED = 2_000;

/** What somebody may decide, as it was some seconds ago. */
interface Remembered {
  /** Where they may approve requests. */
  readonly environments: Promise<readonly Place[]>;
  readonly may: May;
}

/** What was counted, and how many requests this process had written then. */
interface Counted {
  readonly writes: number;
  readonly count: Promise<number>;
}

/**
 * Counts what waits for somebody, for every page. Requests are read as the actor, in the environments where they may approve some, and counted again after
 * a write of this process, or ten seconds, so that pages do not list each environment anew; permissions are asked for again a little later. Decides nothing.
 */
export function createRequestCount(ports: RequestNeeds): (actor: Actor) => Promise<number> {
  const lately = { max: REMEMBERED, ttlResolution: 0, perf: { now: () => ports.changeRequests.now() } };
  const known = new LRUCache<string, Remembered>({ ...lately, ttl: REMEMBERED_MS });
  const counts = new LRUCache<string, Counted>({ ...lately, ttl: COUNTED_MS });
  const remember = (actor: Actor, key: string): Remembered => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = { environments: approvableEnvironments(ports, actor), may: mayOnce(ports, actor) };
    known.set(key, found);
    found.environments.catch(() => known.delete(key));
    return found;
  };
  const count = async (actor: Actor, { environments, may }: Remembered): Promise<number> => {
    const found = await pMap(await environments, async (place) => await requestsIn(ports, actor, place), { concurrency: 8 });
    return (await waitingFor(actor, found.flat(), may)).length;
  };
  return async (actor) => {
    const key = actorKey(actor);
    const writes = requestWrites(ports);
    const before = counts.get(key);
    if (before?.writes === writes) return await before.count;
    const counted = { writes, count: count(actor, remember(actor, key)) };
    counts.set(key, counted);
    counted.count.catch(() => counts.delete(key));
    return await counted.count;
  };
}

async function approvableEnvironments(ports: RequestNeeds, actor: Actor): Promise<readonly Place[]> {
  const all = await listEnvironments(ports, actor);
  const allowed = await pMap(all, async ({ name }) => await mayApproveIn(ports, actor, name), { concurrency: 8 });
  return all.filter((_environment, index) => allowed[index]);
}

type Place = Parameters<typeof requestsIn>[2];
type May = (request: ChangeRequest) => Promise<boolean>;

/** The same question is asked once; one that could not be answered, again. */
function mayOnce(ports: RequestNeeds, actor: Actor): May {
  const asked = new Map<string, Promise<boolean>>();
  return async (request) => {
    const key = JSON.stringify([request.environment, request.app, request.action]);
    const answer = asked.get(key) ?? mayDecide(ports, actor, request);
    asked.set(key, answer);
    answer.catch(() => asked.delete(key));
    return await answer;
  };
}

async function waitingFor(actor: Actor, all: readonly ChangeRequest[], may: May): Promise<ChangeRequest[]> {
  const others = all.filter(({ state, requester }) => state === 'open' && requester.user !== actor.user);
  const allowed = await pMap(others, may, { concurrency: 8 });
  return others.filter((_request, index) => allowed[index]);
}
