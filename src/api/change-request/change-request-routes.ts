import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import { createHash } from 'node:crypto';
import { checkPreconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ChangeRequestView } from '../../operation/change-request/show-change-request.ts';
import { PAGE_QUERY, pageOfItems, byNewestId } from '../paging.ts';
import { SMALL_BODY, type Call, type Reply, type Route } from '../route.ts';
import { pageOf, ref } from '../schemas.ts';

const CHANGE_REQUEST = '/change-requests/{id}';

/** Plans: what somebody without the permission asks somebody with it to do. */
export const CHANGE_REQUEST_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/change-requests',
    operationId: 'listChangeRequests',
    summary: 'The change requests that you asked for, or with `waiting=true` those that wait for you, the newest first',
    tag: 'Change requests',
    query: {
      ...PAGE_QUERY,
      waiting: { type: 'boolean', default: false, description: 'Open change requests of others that you may decide' },
    },
    replies: { 200: { description: 'A page of change requests', schema: pageOf('ChangeRequest') } },
    handle: async ({ operations, actor, query }) => {
      const { mine, waiting } = await operations.listChangeRequests(actor);
      const items = query['waiting'] === true ? waiting : mine;
      return { status: 200, body: pageOfItems(items, byNewestId, query) };
    },
  },
  {
    method: 'post',
    path: '/change-requests',
    operationId: 'createChangeRequest',
    summary: 'Ask somebody to install or change an instance; nothing is written to the cluster',
    tag: 'Change requests',
    body: ref('ChangeRequestWish'),
    replies: { 201: { description: 'The change request; Location names it', schema: ref('ChangeRequest') } },
    handle: async (call) => await ask(call),
  },
  {
    method: 'get',
    path: CHANGE_REQUEST,
    operationId: 'showChangeRequest',
    etag: 'strong',
    summary: 'One change request, with what it would do if you approved it now',
    tag: 'Change requests',
    replies: { 200: { description: 'The change request, looked at with your permissions', schema: ref('ChangeRequestView') } },
    handle: async ({ operations, actor, params }) => shown(await operations.showChangeRequest(actor, params['id'] ?? '')),
  },
  {
    method: 'post',
    path: `${CHANGE_REQUEST}/approval`,
    operationId: 'approveChangeRequest',
    etag: 'strong',
    summary: 'Do what a change request asks for, in your name; 409 `Conflict` when it is no longer what you looked at',
    tag: 'Change requests',
    body: ref('ChangeRequestApproval'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The instance as it was written', schema: ref('Instance') } },
    handle: async (call) => {
      const { operations, actor, params, body, asking } = call;
      await check(call);
      const input = { id: params['id'] ?? '', digest: textAt(body, 'digest') ?? '', ...asking };
      return { status: 200, body: await operations.approveChangeRequest(actor, input) };
    },
  },
  {
    method: 'post',
    path: `${CHANGE_REQUEST}/decline`,
    operationId: 'declineChangeRequest',
    etag: 'strong',
    summary: 'Say no to a change request',
    tag: 'Change requests',
    body: ref('DeclineRequest'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The change request as it ended', schema: ref('ChangeRequestView') } },
    handle: async (call) => {
      const { operations, actor, params, body, asking } = call;
      await check(call);
      await operations.declineChangeRequest(actor, { id: params['id'] ?? '', reason: textAt(body, 'reason') ?? '', ...asking });
      return shown(await operations.showChangeRequest(actor, params['id'] ?? ''));
    },
  },
  {
    method: 'delete',
    path: CHANGE_REQUEST,
    operationId: 'withdrawChangeRequest',
    etag: 'strong',
    summary: 'Take a change request of yours back; it can still be looked at',
    tag: 'Change requests',
    replies: { 200: { description: 'The change request as it ended', schema: ref('ChangeRequestView') } },
    handle: async (call) => {
      const { operations, actor, params, asking } = call;
      await check(call);
      await operations.withdrawChangeRequest(actor, { id: params['id'] ?? '', ...asking });
      return shown(await operations.showChangeRequest(actor, params['id'] ?? ''));
    },
  },
];

/** `digest` stands for the preflight of an open change request, which no two dry runs tell with the same bytes. */
function changeRequestEtag({ preflight: _preflight, ...view }: ChangeRequestView): string {
  return `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url')}"`;
}

function shown(view: ChangeRequestView): Reply {
  return { status: 200, body: view, etag: changeRequestEtag(view) };
}

/** A change request changes only by ending, and ends once: nobody can come between this and that. */
async function check({ operations, actor, params, preconditions }: Call): Promise<void> {
  if (Object.keys(preconditions).length === 0) return;
  checkPreconditions('change request', changeRequestEtag(await operations.showChangeRequest(actor, params['id'] ?? '')), preconditions);
}

async function ask({ operations, actor, body, asking }: Call): Promise<Reply> {
  const address = { environment: textAt(body, 'environment') ?? '', app: textAt(body, 'app') ?? '', name: textAt(body, 'name') ?? '' };
  const sent = objectAt(body, 'spec') as JsonObject;
  const beside = objectAt(body, 'beside') as JsonObject;
  const besides = Object.keys(beside).length === 0 ? {} : { beside };
  const shared = { ...address, ...besides, message: textAt(body, 'message') ?? '', ...asking };
  const changeRequest =
    textAt(body, 'action') === 'change'
      ? await operations.createChangeRequest(actor, {
          ...shared,
          action: 'change',
          ...(await patched(operations, actor, { address, patch: sent })),
        })
      : await operations.createChangeRequest(actor, { ...shared, action: 'install', spec: sent });
  return { status: 201, body: changeRequest, location: `/api/v1/change-requests/${changeRequest.id}` };
}

type Patch = { readonly address: InstanceAddress; readonly patch: JsonObject };

async function patched(
  operations: Call['operations'],
  actor: Call['actor'],
  { address, patch }: Patch,
): Promise<{ spec: JsonObject; specVersion: string }> {
  const { object } = await operations.showInstance(actor, address);
  return { spec: applyMergePatch(object.spec ?? {}, patch) as JsonObject, specVersion: specVersionOf(object) };
}
