import { at, numberAt, textAt } from '../../domain/core/read.ts';
import type { CopyInput } from '../../operation/instance/copy-instance.ts';
import { PROPOSE_QUERY, proposed, wishOf } from '../proposal/proposal-routes.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';
import { A_CHANGE, addressOf, DRY_RUN, INSTANCE, pathOf } from './instance-routes.ts';

const REVISION = { type: 'integer', minimum: 1, description: 'Default: the newest revision that differs from the live instance' } as const;

/** Earlier revisions of instances, and the way back to them. */
export const REVISION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: `${INSTANCE}/revisions`,
    operationId: 'listRevisions',
    summary: 'List the earlier revisions of an instance, newest first, and what a rollback to each would change',
    tag: 'Instances',
    replies: {
      200: {
        description: 'The revisions; `missing` names the permissions without which they cannot be read',
        schema: pageOf('InstanceRevision', { missing: { type: 'array', items: ref('MissingPermission') } }),
      },
    },
    handle: async ({ operations, actor, params }) => {
      const { revisions, missing } = await operations.listRevisions(actor, addressOf(params));
      return { status: 200, body: { items: revisions, missing } };
    },
  },
  {
    method: 'get',
    path: `${INSTANCE}/release-revisions`,
    operationId: 'listReleaseRevisions',
    summary: 'List the revisions of the Helm release of an instance of a chart, newest first',
    tag: 'Instances',
    replies: {
      200: { description: 'The revisions; none where the instance is no release', schema: pageOf('ReleaseRevision') },
    },
    handle: async ({ operations, actor, params }) => {
      const { revisions } = await operations.listReleaseRevisions(actor, addressOf(params));
      return { status: 200, body: { items: revisions } };
    },
  },
  {
    method: 'get',
    path: `${INSTANCE}/release-revisions/{revision}`,
    operationId: 'showReleaseRevision',
    summary: 'Get the values of a revision of the Helm release of an instance, and how they differ from those of the revision before',
    tag: 'Instances',
    replies: {
      200: {
        description: 'The values, sensitive ones masked; `missing` names the permissions without which they are not shown',
        schema: ref('ReleaseRevisionValues'),
      },
    },
    handle: async ({ operations, actor, params }) => {
      const revision = revisionNumber(params['revision'] ?? '');
      return { status: 200, body: await operations.showReleaseRevision(actor, { ...addressOf(params), revision }) };
    },
  },
  requestOf({
    path: 'tests',
    id: 'testInstance',
    operation: 'requestInstanceTest',
    summary: 'Run the tests of the chart of an instance; `status.lastTest` and the condition `Tested` have the outcome',
    description: 'The tests run once the release is healthy; Location is the instance',
  }),
  requestOf({
    path: 'reinstallation',
    id: 'reinstallInstance',
    operation: 'requestReinstallation',
    summary: 'Delete changed release records, and install the chart of an instance anew; objects stay',
    description: 'Without changed records nothing happens; Location is the instance',
  }),
  requestOf({
    path: 'record-removal',
    id: 'forgetRelease',
    operation: 'forgetRelease',
    summary: 'Let the deletion of an instance with changed release records end: the records are deleted, the objects stay',
    description: 'Without changed records nothing happens; Location is the instance',
  }),
  {
    method: 'get',
    path: `${INSTANCE}/sleep`,
    operationId: 'showInstanceSleep',
    etag: 'strong',
    summary: 'Whether an instance is to sleep',
    tag: 'Instances',
    replies: { 200: { description: 'The sleep', schema: ref('InstanceSleep') } },
    handle: async ({ operations, actor, params }) => {
      const { object, etag } = await operations.showInstance(actor, addressOf(params));
      return { status: 200, body: { asleep: at(object.spec, 'sleep') === true }, etag };
    },
  },
  sleep('post', 'Asleep', {
    id: 'sleepInstance',
    summary: 'Put an instance to sleep: scale its workloads to zero (`spec.sleep`). Data stays',
  }),
  sleep('delete', 'Awake', { id: 'wakeInstance', summary: 'Wake an instance: its workloads get their replicas again' }),
  {
    method: 'post',
    path: `${INSTANCE}/rollback`,
    operationId: 'rollbackInstance',
    etag: 'strong',
    summary:
      'Change an instance back to an earlier revision, or with `dryRun=All` run the preflight checks. Sensitive values stay as they are',
    tag: 'Instances',
    query: { ...DRY_RUN, ...PROPOSE_QUERY },
    body: { type: 'object', properties: { revision: REVISION } },
    replies: A_CHANGE.replies,
    handle: async (call) => await rollBack(call),
  },
];

interface ReleaseRequest {
  readonly path: string;
  readonly id: string;
  readonly operation: 'requestInstanceTest' | 'requestReinstallation' | 'forgetRelease';
  readonly summary: string;
  readonly description: string;
}

/** A request about the release of an instance, which its controller carries out. */
function requestOf({ path, id, operation, summary, description }: ReleaseRequest): Route {
  return {
    method: 'post',
    path: `${INSTANCE}/${path}`,
    operationId: id,
    etag: 'strong',
    summary,
    tag: 'Instances',
    replies: { 202: { description, schema: ref('Instance') } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      const input = { ...addressOf(params), at: new Date().toISOString(), preconditions, ...requestOrigin };
      return { status: 202, body: await operations[operation](actor, input), location: pathOf(addressOf(params)) };
    },
  };
}

function sleep(
  method: 'post' | 'delete',
  wanted: 'Asleep' | 'Awake',
  { id, summary }: { readonly id: string; readonly summary: string },
): Route {
  return {
    method,
    path: `${INSTANCE}/sleep`,
    operationId: id,
    etag: 'strong',
    summary,
    tag: 'Instances',
    replies: { 202: { description: 'The workloads are scaled soon; Location is the instance', schema: ref('Instance') } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      const asked = { ...addressOf(params), sleep: wanted, preconditions, ...requestOrigin };
      return { status: 202, body: await operations.setInstanceSleep(actor, asked), location: pathOf(addressOf(params)) };
    },
  };
}

const DESTINATION = {
  type: 'object',
  required: ['environment'],
  properties: {
    environment: { type: 'string', minLength: 1 },
    name: { type: 'string', minLength: 1, description: 'Default: the same name' },
  },
} as const;

/** Takes an instance to another environment. */
export const COPY_ROUTES: readonly Route[] = [
  {
    method: 'post',
    path: `${INSTANCE}/copies`,
    operationId: 'copyInstance',
    summary:
      'Create an instance with the values of this one, and the version of its chart, or with `dryRun=All` run the preflight checks. Sensitive values are not copied',
    tag: 'Instances',
    query: DRY_RUN,
    body: DESTINATION,
    replies: {
      200: { description: 'The result of the preflight checks (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The new instance, in `Location`', schema: ref('Instance') },
    },
    handle: async ({ operations, actor, params, query, body, requestOrigin }) => {
      const draft = await operations.copyOf(actor, destined(params, body));
      if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightInstance(actor, draft) };
      return { status: 201, body: await operations.createInstance(actor, { ...draft, ...requestOrigin }), location: pathOf(draft) };
    },
  },
  {
    method: 'post',
    path: `${INSTANCE}/promotions`,
    operationId: 'promoteInstance',
    summary:
      'Change another instance to the values of this one, and to the version of its chart, or with `dryRun=All` show the changes. Sensitive values stay as they are',
    tag: 'Instances',
    query: DRY_RUN,
    body: DESTINATION,
    replies: A_CHANGE.replies,
    handle: async ({ operations, actor, params, query, body, requestOrigin }) => {
      const change = await operations.promotionOf(actor, destined(params, body));
      if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightChange(actor, change) };
      return { status: 200, body: await operations.updateInstance(actor, { ...change, ...requestOrigin }) };
    },
  },
];

function destined(params: Call['params'], body: unknown): CopyInput {
  const from = addressOf(params);
  return { ...from, to: { environment: textAt(body, 'environment') ?? '', name: textAt(body, 'name') ?? from.name } };
}

/** 0, which is never one, for anything else. */
function revisionNumber(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

async function rollBack(call: Call): Promise<Reply> {
  const { operations, actor, params, query, body, preconditions, requestOrigin } = call;
  const revision = numberAt(body, 'revision');
  const wanted = { ...addressOf(params), preconditions, ...(revision === undefined ? {} : { revision }) };
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightRollback(actor, wanted) };
  const wish = wishOf(call);
  if (wish === undefined) return { status: 200, body: await operations.rollbackInstance(actor, { ...wanted, ...requestOrigin }) };
  const change = { ...(await operations.rollbackOf(actor, wanted)), preconditions };
  return proposed(await operations.proposeChange(actor, { change, ...wish }));
}
