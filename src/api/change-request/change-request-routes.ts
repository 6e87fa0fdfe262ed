import { createHash } from 'node:crypto';
import { checkPreconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { askPlan } from '../../operation/change-request/create-change-request.ts';
import { approvePlan, declinePlan, withdrawPlan } from '../../operation/change-request/decide-change-request.ts';
import { listPlans } from '../../operation/change-request/list-change-requests.ts';
import { showInstance } from '../../operation/instance/show-instance.ts';
import { showPlan, type PlanView } from '../../operation/change-request/show-change-request.ts';
import { PAGE_QUERY, pageOfItems, youngestFirst } from '../paging.ts';
import { SMALL_BODY, type Call, type Reply, type Route } from '../route.ts';
import { pageOf, ref } from '../schemas.ts';

const PLAN = '/plans/{id}';

/** Plans: what somebody without the right asks somebody with it to do. */
export const PLAN_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/plans',
    operationId: 'listPlans',
    summary: 'The plans that you asked for, or with `waiting=true` those that wait for you, the newest first',
    tag: 'Plans',
    query: { ...PAGE_QUERY, waiting: { type: 'boolean', default: false, description: 'Open plans of others that you may decide' } },
    replies: { 200: { description: 'A page of plans', schema: pageOf('Plan') } },
    handle: async ({ ports, actor, query }) => {
      const { mine, waiting } = await listPlans(ports, actor);
      const items = query['waiting'] === true ? waiting : mine;
      return { status: 200, body: pageOfItems(items, youngestFirst, query) };
    },
  },
  {
    method: 'post',
    path: '/plans',
    operationId: 'askPlan',
    summary: 'Ask somebody to install or change an instance; nothing is written to the cluster',
    tag: 'Plans',
    body: ref('PlanWish'),
    replies: { 201: { description: 'The plan; Location names it', schema: ref('Plan') } },
    handle: async (call) => await ask(call),
  },
  {
    method: 'get',
    path: PLAN,
    operationId: 'showPlan',
    etag: 'strong',
    summary: 'One plan, with what it would do if you approved it now',
    tag: 'Plans',
    replies: { 200: { description: 'The plan, looked at with your rights', schema: ref('PlanView') } },
    handle: async ({ ports, actor, params }) => shown(await showPlan(ports, actor, params['id'] ?? '')),
  },
  {
    method: 'post',
    path: `${PLAN}/approval`,
    operationId: 'approvePlan',
    etag: 'strong',
    summary: 'Do what a plan asks for, in your name; 409 `Conflict` when it is no longer what you looked at',
    tag: 'Plans',
    body: ref('PlanApproval'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The instance as it was written', schema: ref('Instance') } },
    handle: async (call) => {
      const { ports, actor, params, body, asking } = call;
      await check(call);
      const input = { id: params['id'] ?? '', digest: textAt(body, 'digest') ?? '', ...asking };
      return { status: 200, body: await approvePlan(ports, actor, input) };
    },
  },
  {
    method: 'post',
    path: `${PLAN}/decline`,
    operationId: 'declinePlan',
    etag: 'strong',
    summary: 'Say no to a plan',
    tag: 'Plans',
    body: ref('PlanRefusal'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The plan as it ended', schema: ref('PlanView') } },
    handle: async (call) => {
      const { ports, actor, params, body, asking } = call;
      await check(call);
      await declinePlan(ports, actor, { id: params['id'] ?? '', word: textAt(body, 'word') ?? '', ...asking });
      return shown(await showPlan(ports, actor, params['id'] ?? ''));
    },
  },
  {
    method: 'delete',
    path: PLAN,
    operationId: 'withdrawPlan',
    etag: 'strong',
    summary: 'Take a plan of yours back; it can still be looked at',
    tag: 'Plans',
    replies: { 200: { description: 'The plan as it ended', schema: ref('PlanView') } },
    handle: async (call) => {
      const { ports, actor, params, asking } = call;
      await check(call);
      await withdrawPlan(ports, actor, { id: params['id'] ?? '', ...asking });
      return shown(await showPlan(ports, actor, params['id'] ?? ''));
    },
  },
];

/** `digest` stands for the preflight of an open plan, which no two dry runs tell with the same bytes. */
function planEtag({ preflight: _preflight, ...view }: PlanView): string {
  return `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url')}"`;
}

function shown(view: PlanView): Reply {
  return { status: 200, body: view, etag: planEtag(view) };
}

/** A plan changes only by ending, and ends once: nobody can come between this and that. */
async function check({ ports, actor, params, preconditions }: Call): Promise<void> {
  if (Object.keys(preconditions).length === 0) return;
  checkPreconditions('plan', planEtag(await showPlan(ports, actor, params['id'] ?? '')), preconditions);
}

async function ask({ ports, actor, body, asking }: Call): Promise<Reply> {
  const address = { environment: textAt(body, 'environment') ?? '', app: textAt(body, 'app') ?? '', name: textAt(body, 'name') ?? '' };
  const sent = objectAt(body, 'spec') as JsonObject;
  const beside = objectAt(body, 'beside') as JsonObject;
  const besides = Object.keys(beside).length === 0 ? {} : { beside };
  const shared = { ...address, ...besides, message: textAt(body, 'message') ?? '', ...asking };
  const plan =
    textAt(body, 'action') === 'change'
      ? await askPlan(ports, actor, { ...shared, action: 'change', ...(await patched(ports, actor, { address, patch: sent })) })
      : await askPlan(ports, actor, { ...shared, action: 'install', spec: sent });
  return { status: 201, body: plan, location: `/api/v1/plans/${plan.id}` };
}

type Patch = { readonly address: Parameters<typeof showInstance>[2]; readonly patch: JsonObject };

async function patched(
  ports: Call['ports'],
  actor: Call['actor'],
  { address, patch }: Patch,
): Promise<{ spec: JsonObject; specVersion: string }> {
  const { object } = await showInstance(ports, actor, address);
  return { spec: applyMergePatch(object.spec ?? {}, patch) as JsonObject, specVersion: specVersionOf(object) };
}
