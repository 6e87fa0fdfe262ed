import { PREFLIGHT_VERDICTS } from '../../domain/preflight/findings.ts';
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import { checkPreconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ChangeRequestView } from '../../operation/change-request/show-change-request.ts';
import { byNewestId, PAGE_QUERY, pageOfItems } from '../paging.ts';
import { proposed, PROPOSED, PROPOSE_QUERY, wishOf } from '../proposal/proposal-routes.ts';
import { type Call, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { anything, object, pageOf, ref, text } from '../schema-parts.ts';
import { MAX_MESSAGE_LENGTH, MAX_REASON_LENGTH } from '../../domain/change-request/change-request-kind.ts';
import { REQUEST_ACTIONS, REQUEST_STATES } from '../../domain/change-request/change-request.ts';

/** The answer to an approval whose effect is still to come. */
const APPROVED = {
  description: `${PROPOSED.description}. Without it: the approved request, while Chandlery writes the instance; Location is its URL`,
  schema: { anyOf: [PROPOSED.schema, ref('ChangeRequestView')] },
} as const;

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
    summary: 'Create a request to install or change an instance; the instance is not written yet',
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
    query: PROPOSE_QUERY,
    body: ref('ChangeRequestApproval'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The written instance', schema: ref('Instance') }, 202: APPROVED },
    handle: async (call) => {
      const { operations, actor, params, body, requestOrigin } = call;
      await check(call);
      const input = { id: params['id'] ?? '', digest: textAt(body, 'digest') ?? '', ...requestOrigin };
      const wish = wishOf(call);
      if (wish !== undefined) return proposed(await operations.proposeRequest(actor, { ...input, ...wish }));
      const written = await operations.approveChangeRequest(actor, input);
      if (written === 'pending')
        return {
          ...shown(await operations.showChangeRequest(actor, input.id)),
          status: 202,
          location: `/api/v1/change-requests/${input.id}`,
        };
      return { status: 200, body: written };
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
  return `"${createHash('sha256').update(stringifyJson(view)).digest('base64url')}"`;
}

function shown(view: ChangeRequestView): Reply {
  return { status: 200, body: view, etag: changeRequestEtag(view) };
}

/** Checks `If-Match`. No race is possible: the decision of a change request is set once, on the version that was read. */
async function check({ operations, actor, params, preconditions }: Call): Promise<void> {
  if (Object.keys(preconditions).length === 0) return;
  checkPreconditions('change request', changeRequestEtag(await operations.showChangeRequest(actor, params['id'] ?? '')), preconditions);
}

async function ask({ operations, actor, body, requestOrigin }: Call): Promise<Reply> {
  const address = { environment: textAt(body, 'environment') ?? '', app: textAt(body, 'app') ?? '', name: textAt(body, 'name') ?? '' };
  const sent = objectAt(body, 'spec') as JsonObject;
  const otherFields = objectAt(body, 'otherFields') as JsonObject;
  const others = Object.keys(otherFields).length === 0 ? {} : { otherFields };
  const shared = { ...address, ...others, message: textAt(body, 'message') ?? '', ...requestOrigin };
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

const objectName = { type: 'string', maxLength: 253 } as const;
const time = { type: 'string', description: 'RFC 3339' } as const;
const otherFields = {
  ...anything,
  description: 'What goes beside the `spec`, laid out like the resource; of a change, the JSON Merge Patch of it',
} as const;
const texts = { type: 'array', items: text } as const;

/** Schemas of change requests. */
export const CHANGE_REQUEST_SCHEMAS = {
  ChangeRequestDraft: {
    ...object(
      {
        action: { enum: REQUEST_ACTIONS, description: 'Default: `install`' },
        environment: objectName,
        app: objectName,
        name: objectName,
        spec: { ...anything, description: 'The whole `spec` to install, or the JSON Merge Patch of the `spec` to change' },
        otherFields,
        message: { type: 'string', maxLength: MAX_MESSAGE_LENGTH, description: 'Message to the approver' },
      },
      ['environment', 'app', 'name'],
    ),
    additionalProperties: false,
  },
  ChangeRequestApproval: {
    ...object({
      digest: { type: 'string', description: 'The `digest` of `GET /change-requests/{id}`. If it no longer matches, nothing is written' },
    }),
    additionalProperties: false,
  },
  DeclineRequest: {
    ...object({ reason: { type: 'string', maxLength: MAX_REASON_LENGTH, description: 'The message to the requester' } }, []),
    additionalProperties: false,
  },
  ChangeRequest: object(
    {
      id: text,
      action: { enum: REQUEST_ACTIONS },
      environment: text,
      app: text,
      name: text,
      content: { ...anything, description: 'The `spec` to install, or the JSON Merge Patch of it to change' },
      otherFields,
      preflightSummary: {
        ...object({ verdict: { enum: PREFLIGHT_VERDICTS }, blocked: texts, warned: texts }),
        description: 'The preflight result as the requester reports it',
      },
      requester: object({ user: text, groups: texts }),
      message: text,
      created: time,
      expires: time,
      state: { enum: REQUEST_STATES },
      decidedBy: text,
      decidedAt: time,
      decisionMessage: text,
    },
    ['id', 'action', 'environment', 'app', 'name', 'content', 'requester', 'message', 'created', 'expires', 'state'],
  ),
  ChangeRequestView: object(
    {
      changeRequest: { $ref: '#/components/schemas/ChangeRequest' },
      mine: { type: 'boolean', description: 'Whether you are the requester' },
      mayDecide: { type: 'boolean', description: 'Whether you have the permission to approve or decline it' },
      preflight: { $ref: '#/components/schemas/Preflight' },
      digest: { type: 'string', description: 'The digest of the previewed change, for the approval' },
      command: { type: 'string', description: 'The kubectl command that approves it, if you can' },
      appliedBy: {
        enum: ['Impersonation', 'TokenOfApprover'],
        description: '`TokenOfApprover`: the approver has to stay signed in until the request is applied',
      },
      instanceChanged: { type: 'boolean', description: 'Whether the instance has changed since the request was created' },
      preflightError: { type: 'string', description: 'Why the preflight of an open request cannot run' },
    },
    ['changeRequest', 'mine', 'mayDecide', 'appliedBy', 'instanceChanged'],
  ),
} as const;
