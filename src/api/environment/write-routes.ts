import { ENVIRONMENT_ROLES } from '../../domain/environment/environment-kind.ts';
import { contentOf, splitContent } from '../../domain/instance/instance-content.ts';
import { ENVIRONMENT as ENVIRONMENT_TYPE } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { EnvironmentChange } from '../../operation/environment/environment-change.ts';
import { DELETION_INTENT_QUERY, intentIn } from '../deletion-intent.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { proposed, PROPOSED, PROPOSE_QUERY, wishOf } from '../proposal/proposal-routes.ts';
import type { Call, Reply, Route } from '../route.ts';
import { anything, flag, integer, list, manifestOf, object, pageOf, ref, text } from '../schema-parts.ts';

const ENVIRONMENT = '/environments/{environment}';
const DRY_RUN = { dryRun: { enum: ['All'], description: '`All`: run preflight checks only, and write nothing' } } as const;

/** What every way to change an Environment takes and answers. */
const A_CHANGE = {
  query: { ...DRY_RUN, ...PROPOSE_QUERY },
  body: ref('EnvironmentPatch'),
  replies: {
    200: {
      description: 'The changed environment, or with `dryRun=All` the preflight result',
      schema: { oneOf: [ref('Environment'), ref('Preflight')] },
    },
    202: PROPOSED,
  },
} as const;

/** Environments themselves: everybody reads those of their own, and admins create, change and delete them. */
export const ENVIRONMENT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments',
    operationId: 'listEnvironments',
    summary: 'List the environments that you can see',
    tag: 'Environments',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of environments', schema: pageOf('Environment') } },
    handle: async ({ operations, actor, query }) => ({
      status: 200,
      body: pageOfItems(await operations.listEnvironments(actor), ({ name }) => name, query),
    }),
  },
  {
    method: 'post',
    path: '/environments',
    operationId: 'createEnvironment',
    summary: 'Create an Environment, or with `dryRun=All` run its preflight checks (admins)',
    tag: 'Environments',
    query: { ...DRY_RUN, ...PROPOSE_QUERY },
    body: ref('EnvironmentManifest'),
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created Environment; Location is its URL', schema: ref('Environment') },
      202: PROPOSED,
    },
    handle: async (call) => await create(call),
  },
  {
    method: 'get',
    path: ENVIRONMENT,
    operationId: 'showEnvironment',
    etag: 'strong',
    summary: 'Get an environment with its resource',
    tag: 'Environments',
    replies: { 200: { description: 'The environment; use its ETag in `If-Match`', schema: ref('Environment') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showEnvironment(actor, nameIn(params)) }),
  },
  {
    method: 'patch',
    path: ENVIRONMENT,
    operationId: 'updateEnvironment',
    etag: 'strong',
    summary: 'Change an Environment by a JSON Merge Patch (RFC 7386) of its `spec`, labels and annotations (admins)',
    tag: 'Environments',
    ...A_CHANGE,
    handle: async (call) => await change(call, 'Merge'),
  },
  {
    method: 'put',
    path: ENVIRONMENT,
    operationId: 'replaceEnvironment',
    etag: 'strong',
    summary: 'Replace the `spec` of an Environment. Labels and annotations are patched (admins)',
    tag: 'Environments',
    ...A_CHANGE,
    handle: async (call) => await change(call, 'Replace'),
  },
  {
    method: 'delete',
    path: ENVIRONMENT,
    operationId: 'deleteEnvironment',
    etag: 'strong',
    summary: 'Delete an Environment according to its `reclaim`, or with `dryRun=All` preview the deletion (admins)',
    tag: 'Environments',
    query: { dryRun: { enum: ['All'], description: '`All`: preview the deletion, and delete nothing' }, ...DELETION_INTENT_QUERY },
    replies: {
      200: { description: 'The deletion preview (`dryRun=All`)', schema: ref('EnvironmentDeletion') },
      202: { description: 'The deletion is accepted; Location returns 404 once it is complete' },
    },
    handle: async ({ operations, actor, params, query, preconditions, requestOrigin }) => {
      const environment = nameIn(params);
      if (query['dryRun'] === 'All')
        return { status: 200, body: await operations.previewEnvironmentDeletion(actor, { environment, preconditions }) };
      await operations.deleteEnvironment(actor, { environment, preconditions, intent: intentIn(query), ...requestOrigin });
      return { status: 202, location: pathOf(environment) };
    },
  },
  {
    method: 'get',
    path: `${ENVIRONMENT}/owner`,
    operationId: 'showEnvironmentOwner',
    summary: 'What keeps an Environment in step with git, as far as you may read it, and the sources that a change can be proposed to',
    tag: 'Environments',
    replies: { 200: { description: 'The owner', schema: ref('InstanceOwner') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showEnvironmentOwner(actor, nameIn(params)) }),
  },
];

async function create(call: Call): Promise<Reply> {
  const { operations, actor, query, body, requestOrigin } = call;
  const environment = body as KubeObject;
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightEnvironment(actor, environment) };
  const wish = wishOf(call);
  if (wish !== undefined) return proposed(await operations.proposeEnvironment(actor, { environment, ...wish }));
  const created = await operations.createEnvironment(actor, { environment, ...requestOrigin });
  return { status: 201, body: created, location: pathOf(created.name) };
}

async function change(call: Call, mode: EnvironmentChange['mode']): Promise<Reply> {
  const { operations, actor, params, query, preconditions, requestOrigin } = call;
  const wanted: EnvironmentChange = { environment: nameIn(params), ...splitContent(contentOf(call.body)), mode, preconditions };
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightEnvironmentChange(actor, wanted) };
  const wish = wishOf(call);
  if (wish !== undefined) return proposed(await operations.proposeEnvironmentChange(actor, { change: wanted, ...wish }));
  return { status: 200, body: await operations.updateEnvironment(actor, { ...wanted, ...requestOrigin }) };
}

function nameIn(params: Call['params']): string {
  return params['environment'] ?? '';
}

function pathOf(environment: string): string {
  return `/api/v1/environments/${encodeURIComponent(environment)}`;
}

const textsByKey = { type: 'object', additionalProperties: { type: ['string', 'null'] } } as const;
const kindCount = object({
  resource: { ...text, description: 'Plural and group; of instances, their app' },
  kind: text,
  count: integer,
  names: { ...list(text), description: 'The first 20' },
});

/** Schemas of what is written. */
export const ENVIRONMENT_WRITE_SCHEMAS = {
  EnvironmentManifest: manifestOf(ENVIRONMENT_TYPE),
  EnvironmentPatch: {
    ...object(
      {
        spec: anything,
        metadata: { ...object({ labels: textsByKey, annotations: textsByKey }, []), additionalProperties: false },
      },
      [],
    ),
    additionalProperties: false,
    description: 'The `spec`, and a patch of labels and annotations, of which `null` takes one away',
  },
  EnvironmentDeletion: object(
    {
      state: { enum: ['Preview', 'Deleting'] },
      namespace: text,
      reclaim: { enum: ['Retain', 'Delete'] },
      reserved: { ...flag, description: 'Whether the namespace is the one of the Environment; another one is left alone' },
      members: { ...list(ref('EnvironmentMember')), description: 'Subjects with a role in the environment, which lose it' },
      instances: { ...list(ref('KindCount')), description: 'Instances by app' },
      volumeClaims: { ...ref('KindCount'), description: 'Absent when you may not list them' },
      goes: { ...list(text), description: 'What is deleted' },
      stays: { ...list(text), description: 'What stays' },
      missing: { ...list(ref('MissingPermission')), description: 'Missing permissions; without them, the counts are incomplete' },
      unavailable: list(ref('UnavailableKind')),
    },
    ['state', 'namespace', 'reclaim', 'reserved', 'members', 'instances', 'goes', 'stays', 'missing', 'unavailable'],
  ),
  EnvironmentMember: object(
    {
      kind: { enum: ['User', 'Group', 'ServiceAccount', 'Project'], description: '`Project`: the jobs of a CI project' },
      name: text,
      namespace: { ...text, description: 'The namespace of a ServiceAccount' },
      role: { enum: [...ENVIRONMENT_ROLES] },
    },
    ['kind', 'name', 'role'],
  ),
  KindCount: kindCount,
} as const;
