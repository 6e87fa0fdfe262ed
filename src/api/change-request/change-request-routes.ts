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

/** Routes of change requests. */
export const CHANGE_REQUEST_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/change-requests',
    operationId: 'listChangeRequests',
    summary: 'List your change requests, or with `awaitingApproval=true` those that you can approve, newest first',
    tag: 'Change requests',
    query: {
      ...PAGE_QUERY,
      awaitingApproval: {
        type: 'boolean',
        default: false,
        description: 'List open change requests of others that you can approve or decline',
      },
    },
    replies: { 200: { description: 'A page of change requests', schema: pageOf('ChangeRequest') } },
    handle: async ({ operations, actor, query }) => {
      const { mine, waiting } = await operations.listChangeRequests(actor);
      const items = query['awaitingApproval'] === true ? waiting : mine;
      return { status: 200, body: pageOfItems(items, byNewestId, query) };
    },
  },
  {
    method: 'post',
    path: '/change-requests',
    operationId: 'createChangeRequest',
    summary: 'Create a request to install or change an instance; nothing is written to the cluster',
    tag: 'Change requests',
    body: ref('ChangeRequestDraft'),
    replies: { 201: { description: 'The created change request; Location is its URL', schema: ref('ChangeRequest') } },
    handle: async (call) => await ask(call),
  },
  {
    method: 'get',
    path: CHANGE_REQUEST,
    operationId: 'showChangeRequest',
    etag: 'strong',
    summary: 'Get a change request with its preflight result for you as the approver',
    tag: 'Change requests',
    replies: { 200: { description: 'The change request', schema: ref('ChangeRequestView') } },
    handle: async ({ operations, actor, params }) => shown(await operations.showChangeRequest(actor, params['id'] ?? '')),
  },
  {
    method: 'post',
    path: `${CHANGE_REQUEST}/approval`,
    operationId: 'approveChangeRequest',
    etag: 'strong',
    summary: 'Approve a change request: carry it out as you. 409 `Conflict` if it differs from the digest',
    tag: 'Change requests',
    body: ref('ChangeRequestApproval'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The written instance', schema: ref('Instance') } },
    handle: async (call) => {
      const { operations, actor, params, body, requestOrigin } = call;
      await check(call);
      const input = { id: params['id'] ?? '', digest: textAt(body, 'digest') ?? '', ...requestOrigin };
      return { status: 200, body: await operations.approveChangeRequest(actor, input) };
    },
  },
  {
    method: 'post',
    path: `${CHANGE_REQUEST}/decline`,
    operationId: 'declineChangeRequest',
    etag: 'strong',
    summary: 'Decline a change request',
    tag: 'Change requests',
    body: ref('DeclineRequest'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The closed change request', schema: ref('ChangeRequestView') } },
    handle: async (call) => {
      const { operations, actor, params, body, requestOrigin } = call;
      await check(call);
      await operations.declineChangeRequest(actor, { id: params['id'] ?? '', reason: textAt(body, 'reason') ?? '', ...requestOrigin });
      return shown(await operations.showChangeRequest(actor, params['id'] ?? ''));
    },
  },
  {
    method: 'delete',
    path: CHANGE_REQUEST,
    operationId: 'withdrawChangeRequest',
    etag: 'strong',
    summary: 'Withdraw a change request of yours; it stays readable',
    tag: 'Change requests',
    replies: { 200: { description: 'The closed change request', schema: ref('ChangeRequestView') } },
    handle: async (call) => {
      const { operations, actor, params, requestOrigin } = call;
      await check(call);
      await operations.withdrawChangeRequest(actor, { id: params['id'] ?? '', ...requestOrigin });
      return shown(await operations.showChangeRequest(actor, params['id'] ?? ''));
    },
  },
];

/** The ETag is computed without the preflight, because two dry runs never return the same bytes; `digest` covers it. */
function changeRequestEtag({ preflight: _preflight, ...view }: ChangeRequestView): string {
  return `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url')}"`;
}

function shown(view: ChangeRequestView): Reply {
  return { status: 200, body: view, etag: changeRequestEtag(view) };
}

/** Checks `If-Match`. No race is possible: a change request changes only once, when it is closed. */
async function check({ operations, actor, params, preconditions }: Call): Promise<void> {
  if (Object.keys(preconditions).length === 0) return;
  checkPreconditions('change request', changeRequestEtag(await operations.showChangeRequest(actor, params['id'] ?? '')), preconditions);
}

async function ask({ operations, actor, body, requestOrigin }: Call): Promise<Reply> {
  const address = { environment: textAt(body, 'environment') ?? '', app: textAt(body, 'app') ?? '', name: textAt(body, 'name') ?? '' };
  const sent = objectAt(body, 'spec') as JsonObject;
  const beside = objectAt(body, 'beside') as JsonObject;
  const besides = Object.keys(beside).length === 0 ? {} : { beside };
  const shared = { ...address, ...besides, message: textAt(body, 'message') ?? '', ...requestOrigin };
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
