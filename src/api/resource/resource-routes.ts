import { ENVIRONMENT_RESOURCE_SCHEMAS } from '../environment/environment-schemas.ts';
import { numberAt, textAt } from '../../domain/core/read.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RESOURCE_ACTIONS } from '../../domain/resource/resource-actions.ts';
import { RELATION_DIRECTIONS } from '../../domain/tree/related-resources.ts';
import { RELATION_CLASSES } from '../../domain/tree/relations.ts';
import { type ActionResult, MAX_REPLICAS, type ResourceActionInput } from '../../operation/resource/act-on-resource.ts';
import type { ResourceAddress } from '../../operation/resource/find-resource.ts';
import { LOG_QUERY, logQueryOf } from '../log-query.ts';
import { type Call, type JsonSchema, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { anything, flag, integer, list, object, ref, text, time } from '../schema-parts.ts';

const RESOURCE = '/environments/{environment}/resources/{resource}/{name}';

const INSTANCE_QUERY = { instance: { ...text, maxLength: 510, description: 'APP/NAME of the instance whose namespace it is in' } } as const;

/** One resource of an environment, and what can be done with it. */
export const RESOURCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: RESOURCE,
    operationId: 'showResource',
    etag: 'strong',
    summary: 'Get a resource in the namespace of an environment with summary, events, relations and the actions that you may take',
    tag: 'Resources',
    query: INSTANCE_QUERY,
    replies: { 200: { description: 'The resource', schema: ref('Resource') } },
    handle: async (call) => ({ status: 200, body: (await call.operations.showResource(call.actor, addressOf(call))).resource }),
  },
  {
    method: 'get',
    path: `${RESOURCE}/logs`,
    operationId: 'showResourceLogs',
    summary: 'The last lines of a pod, or of the pods of a workload, oldest first, as far as you may read them',
    tag: 'Resources',
    query: { ...LOG_QUERY, ...INSTANCE_QUERY },
    replies: { 200: { description: 'The lines', schema: ref('Logs') } },
    handle: async (call) => {
      const body = await call.operations.showResourceLogs(call.actor, { ...addressOf(call), ...logQueryOf(call.query) });
      return { status: 200, body };
    },
  },
  action({
    method: 'post',
    below: 'restart',
    operationId: 'restartWorkload',
    summary: 'Restart the pods of a Deployment, StatefulSet or DaemonSet, as `kubectl rollout restart`',
    act: async ({ operations, actor }, input) => await operations.restartWorkload(actor, { ...input, at: new Date().toISOString() }),
  }),
  {
    method: 'get',
    path: `${RESOURCE}/scale`,
    operationId: 'showScale',
    etag: 'strong',
    summary: 'The number of replicas of a kind with a scale subresource',
    tag: 'Resources',
    query: INSTANCE_QUERY,
    replies: { 200: { description: 'The scale', schema: ref('ResourceScale') } },
    handle: async (call) => ({ status: 200, body: await call.operations.showScale(call.actor, addressOf(call)) }),
  },
  action({
    method: 'put',
    below: 'scale',
    operationId: 'scaleResource',
    summary: 'Set the number of replicas of a kind with a scale subresource',
    body: object({ replicas: { type: 'integer', minimum: 0, maximum: MAX_REPLICAS } }),
    act: async ({ operations, actor, body }, input) =>
      await operations.scaleResource(actor, { ...input, replicas: numberAt(body, 'replicas') ?? -1 }),
  }),
  {
    method: 'post',
    path: `${RESOURCE}/jobs`,
    operationId: 'runCronJob',
    etag: 'strong',
    summary: 'Request a run of a CronJob now: the controller creates a Job from its template',
    tag: 'Resources',
    query: INSTANCE_QUERY,
    replies: { 202: { description: 'The run is requested; Location is the path of its Job', schema: ref('ResourceActionResult') } },
    handle: async (call) => await run(call),
  },
  ...([true, false] as const).map((suspend) =>
    action({
      method: 'post',
      below: suspend ? 'suspend' : 'resume',
      operationId: suspend ? 'suspendCronJob' : 'resumeCronJob',
      summary: suspend ? 'Suspend a CronJob: it starts no more jobs' : 'Resume a suspended CronJob',
      act: async ({ operations, actor }, input) => await operations.suspendCronJob(actor, { ...input, suspend }),
    }),
  ),
  {
    ...action({
      method: 'post',
      below: 'eviction',
      operationId: 'evictPod',
      summary: 'Delete a pod by the eviction API: PodDisruptionBudgets hold, and 409 names the one that does not allow it',
      act: async ({ operations, actor, query }, input) =>
        await operations.evictPod(actor, { ...input, ...(query['dryRun'] === 'All' ? { dryRun: 'All' as const } : {}) }),
    }),
    query: { ...INSTANCE_QUERY, dryRun: { enum: ['All'], description: '`All`: only find out whether the budgets allow it' } },
  },
];

interface Action {
  readonly method: 'post' | 'put';
  readonly below: string;
  readonly operationId: string;
  readonly summary: string;
  readonly body?: JsonSchema;
  readonly act: (call: Call, input: ResourceActionInput) => Promise<ActionResult>;
}

function action({ method, below, operationId, summary, body, act }: Action): Route {
  return {
    method,
    path: `${RESOURCE}/${below}`,
    operationId,
    etag: 'strong',
    summary,
    tag: 'Resources',
    query: INSTANCE_QUERY,
    ...(body === undefined ? {} : { body, largestBody: SMALL_BODY }),
    replies: { 200: { description: 'The api-server has accepted it', schema: ref('ResourceActionResult') } },
    handle: async (call) => ({ status: 200, body: await act(call, inputOf(call)) }),
  };
}

async function run(call: Call): Promise<Reply> {
  const input = inputOf(call);
  const body = await call.operations.runCronJob(call.actor, { ...input, at: new Date().toISOString() });
  return { status: 202, body, location: pathOf({ ...input, resource: body.resource, name: body.name }) };
}

function inputOf(call: Call): ResourceActionInput {
  return { ...addressOf(call), preconditions: call.preconditions, ...call.requestOrigin };
}

function addressOf({ params, query }: Pick<Call, 'params' | 'query'>): ResourceAddress {
  const dedicatedTo = textAt(query, 'instance') ?? '';
  const address = { environment: params['environment'] ?? '', resource: params['resource'] ?? '', name: params['name'] ?? '' };
  return { ...address, ...(dedicatedTo === '' ? {} : { dedicatedTo }) };
}

function pathOf({ environment, resource, name, dedicatedTo }: ResourceAddress): string {
  const path = `/api/v1/environments/${[environment, 'resources', resource, name].map((part) => encodeURIComponent(part)).join('/')}`;
  return dedicatedTo === undefined ? path : `${path}?instance=${encodeURIComponent(dedicatedTo)}`;
}

const { EnvironmentResource } = ENVIRONMENT_RESOURCE_SCHEMAS;
const permission = { $ref: '#/components/schemas/MissingPermission' } as const;

/** The resource itself, beside what a list says of it. */
const own = {
  namespace: text,
  facts: {
    ...list({ $ref: '#/components/schemas/ResourceFact' }),
    description: 'The summary of its kind; for kinds without one, the columns of `kubectl get`',
  },
  containers: list({ $ref: '#/components/schemas/ResourceContainer' }),
  conditions: list({ $ref: '#/components/schemas/Condition' }),
  events: { ...list({ $ref: '#/components/schemas/Event' }), description: 'About it and what it owns, newest first' },
  related: list({ $ref: '#/components/schemas/RelatedResource' }),
  object: { ...anything, description: 'With `<masked: path>` for each sensitive value; of a Secret, the metadata' },
  masked: { ...list(text), description: 'The paths of the masked values' },
  managers: { ...list({ $ref: '#/components/schemas/FieldManager' }), description: 'Who set which fields, newest first' },
  actions: list({ $ref: '#/components/schemas/ResourceAction' }),
  hasLogs: { ...flag, description: 'Whether `/logs` has lines of it: it is a pod, or it runs pods' },
  missing: { ...list(permission), description: 'What you may not read of its related resources' },
  unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
  etag: { ...text, description: 'For `If-Match`' },
  specVersion: { ...text, description: 'Changes with the spec, not with the status' },
} as const;

/** What the API says of one resource of an environment. */
export const RESOURCE_SCHEMAS = {
  Resource: object(
    {
      ...(EnvironmentResource['properties'] as object),
      ...own,
      replicas: { ...integer, description: 'Of kinds that can be scaled' },
      dedicatedTo: { ...text, description: 'APP/NAME of the instance that the namespace is dedicated to' },
      createdBy: { ...text, description: 'The user who created it through pages or API, as its annotation says' },
      ownerResource: { ...text, description: 'Plural and group of `owner`; absent for a cluster-scoped one' },
    },
    [...(EnvironmentResource['required'] as readonly string[]), ...Object.keys(own)],
  ),
  ResourceFact: object({ label: text, value: text, format: { enum: ['text', 'time'] } }),
  ResourceContainer: object({
    name: text,
    type: { enum: ['Container', 'InitContainer', 'EphemeralContainer'] },
    image: text,
    state: { ...text, description: '`Waiting: CrashLoopBackOff`; empty in a pod template' },
    ready: flag,
    restarts: integer,
    probes: list(text),
    requests: text,
    limits: text,
    ports: text,
  }),
  RelatedResource: object(
    {
      direction: { enum: RELATION_DIRECTIONS },
      class: { enum: RELATION_CLASSES },
      path: {
        ...text,
        description: 'The field that names the other resource; with `Owned` and `ReferencedBy`, a field of the other resource',
      },
      inferred: flag,
      group: text,
      kind: text,
      namespace: text,
      name: text,
      resource: { ...text, description: 'Plural and group, for its path; absent outside of the namespace' },
      state: { enum: ['Found', 'Missing', 'NotRead'], description: '`NotRead`: you may not read it, or it is elsewhere' },
      health: object({ status: { enum: HEALTH_STATUSES }, message: text }),
    },
    ['direction', 'class', 'path', 'inferred', 'group', 'kind', 'name', 'state'],
  ),
  FieldManager: object({
    manager: text,
    operation: text,
    subresource: text,
    apiVersion: text,
    time,
    fields: list(text),
    more: { ...integer, description: 'Further fields' },
  }),
  ResourceAction: object(
    {
      action: { enum: RESOURCE_ACTIONS },
      allowed: flag,
      missing: permission,
      effects: { ...list(text), description: 'What happens, in sentences' },
      kubectl: { ...text, description: 'The same with kubectl' },
    },
    ['action', 'allowed', 'effects', 'kubectl'],
  ),
  ResourceScale: object({ replicas: integer, etag: { ...text, description: 'Of the resource' } }),
  ResourceActionResult: object({
    resource: text,
    name: { ...text, description: 'Of `/jobs`, the Job that the controller creates' },
    message: text,
    warnings: { ...list(text), description: 'Of the api-server' },
  }),
} as const;
