import { filterChoices } from '../../domain/app/choices.ts';
import { mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { listAt, objectAt, textAt } from '../../domain/core/read.ts';
import { secret } from '../../domain/core/secret.ts';
import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { otherFieldsOf, contentOf, splitContent } from '../../domain/instance/instance-content.ts';
import type { NewSecret } from '../../domain/instance/new-secret.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import type { InstanceChange } from '../../operation/instance/instance-change.ts';
import type { TreeInput } from '../../operation/instance/show-tree.ts';
import { shownMigration } from '../../operation/instance/preview-migration.ts';
import { LOG_QUERY, logQueryOf } from '../log-query.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { proposed, PROPOSED, PROPOSE_QUERY, wishOf } from '../proposal/proposal-routes.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';

const INSTANCES = '/environments/{environment}/instances';
export const INSTANCE = `${INSTANCES}/{app}/{name}`;
export const DRY_RUN = { dryRun: { enum: ['All'], description: '`All`: run preflight checks only, and write nothing' } } as const;

const VERSION = {
  version: { type: 'string', default: '', description: 'A served version of the kind; default: that of the app' },
} as const;

/** What every way to change an instance takes and answers. */
export const A_CHANGE = {
  query: { ...DRY_RUN, ...VERSION, ...PROPOSE_QUERY },
  body: ref('InstancePatch'),
  replies: {
    200: {
      description: 'The changed instance, or with `dryRun=All` the preflight result',
      schema: { oneOf: [ref('Instance'), ref('Preflight')] },
    },
    202: PROPOSED,
  },
} as const;

/** What is installed in environments. */
export const INSTANCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/choices/{resource}',
    operationId: 'listChoices',
    summary: 'List the names that a field of a form can reference, and the keys of Secrets and ConfigMaps, as far as you can list them',
    tag: 'Environments',
    query: { search: { type: 'string', default: '', description: 'A substring of the name' } },
    replies: { 200: { description: 'At most 200 choices, by name', schema: ref('Choices') } },
    handle: async ({ operations, actor, params, query }) => {
      const input = { environment: params['environment'] ?? '', resources: [params['resource'] ?? ''] };
      const [choices] = await operations.listChoices(actor, input);
      return { status: 200, body: choices === undefined ? {} : filterChoices(choices, textAt(query, 'search') ?? '') };
    },
  },
  {
    method: 'get',
    path: INSTANCES,
    operationId: 'listInstances',
    summary: 'List the instances in an environment',
    tag: 'Instances',
    query: PAGE_QUERY,
    replies: {
      200: {
        description: 'A page of instances',
        schema: pageOf('InstanceSummary', {
          unreadable: { type: 'array', items: { type: 'string' } },
          unavailable: { type: 'array', items: { $ref: '#/components/schemas/UnavailableKind' } },
        }),
      },
    },
    handle: async ({ operations, actor, params, query }) => {
      const { instances, ...gaps } = await operations.listInstances(actor, params['environment'] ?? '');
      return { status: 200, body: { ...pageOfItems(instances, ({ name, app }) => `${name} ${app}`, query), ...gaps } };
    },
  },
  {
    method: 'post',
    path: INSTANCES,
    operationId: 'createInstance',
    summary: 'Install an app, or with `dryRun=All` run its preflight checks',
    tag: 'Instances',
    query: { ...DRY_RUN, ...PROPOSE_QUERY },
    body: ref('InstanceDraft'),
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created instance; Location is its URL', schema: ref('Instance') },
      202: PROPOSED,
    },
    handle: async (call) => await create(call),
  },
  {
    method: 'get',
    path: INSTANCE,
    operationId: 'showInstance',
    etag: 'strong',
    summary: 'Get an instance',
    tag: 'Instances',
    query: VERSION,
    replies: { 200: { description: 'The instance; use its ETag in `If-Match`', schema: ref('Instance') } },
    handle: async ({ operations, actor, params, query }) => ({
      status: 200,
      body: await operations.showInstance(actor, versioned(params, query)),
    }),
  },
  {
    method: 'patch',
    path: INSTANCE,
    operationId: 'updateInstance',
    etag: 'strong',
    summary: 'Change an instance by a JSON Merge Patch (RFC 7386) of its `spec`, labels, annotations and other members',
    tag: 'Instances',
    ...A_CHANGE,
    handle: async (call) => await change(call, 'Merge'),
  },
  {
    method: 'put',
    path: INSTANCE,
    operationId: 'replaceInstance',
    etag: 'strong',
    summary: 'Replace the `spec` and other sent fields of an instance, including `null` values. Labels and annotations are patched',
    tag: 'Instances',
    ...A_CHANGE,
    handle: async (call) => await change(call, 'Replace'),
  },
  {
    method: 'delete',
    path: INSTANCE,
    operationId: 'deleteInstance',
    etag: 'strong',
    summary: 'Delete an instance and everything that it owns, or with `dryRun=All` preview the deletion',
    tag: 'Instances',
    query: DRY_RUN,
    replies: {
      200: { description: 'The deletion preview (`dryRun=All`)', schema: ref('Preflight') },
      202: { description: 'The deletion is accepted; Location returns 404 once it is complete' },
    },
    handle: async ({ operations, actor, params, query, preconditions, requestOrigin }) => {
      if (query['dryRun'] === 'All') {
        return { status: 200, body: await operations.preflightDeletion(actor, { ...addressOf(params), preconditions }) };
      }
      await operations.deleteInstance(actor, { ...addressOf(params), preconditions, ...requestOrigin });
      return { status: 202, location: pathOf(addressOf(params)) };
    },
  },
  {
    method: 'post',
    path: `${INSTANCE}/revealed-values`,
    operationId: 'revealValue',
    summary: 'Reveal one masked value of an instance that you can read; the audit log records it',
    tag: 'Instances',
    body: ref('RevealedValueRequest'),
    replies: { 200: { description: 'The value', schema: ref('RevealedValue') } },
    handle: async ({ operations, actor, params, body, requestOrigin }) => ({
      status: 200,
      body: await operations.revealValue(actor, { ...addressOf(params), path: textAt(body, 'path') ?? '', ...requestOrigin }),
    }),
  },
  {
    method: 'get',
    path: `${INSTANCE}/tree`,
    operationId: 'showTree',
    summary: 'The resource tree of an instance with health, as far as you may read it',
    tag: 'Instances',
    query: {
      kind: { type: 'string', description: 'Only this kind, such as `Pod`, with what stands above it' },
      health: { enum: RESOURCE_HEALTHS, description: 'Only this health; `None`: the kind has no health' },
      search: { type: 'string', description: 'Must occur in the name or the kind' },
    },
    replies: { 200: { description: 'The tree', schema: ref('ResourceTree') } },
    handle: async ({ operations, actor, params, query }) => ({
      status: 200,
      body: await operations.showTree(actor, { ...addressOf(params), ...filterIn(query) }),
    }),
  },
  {
    method: 'get',
    path: `${INSTANCE}/owner`,
    operationId: 'showOwner',
    summary: 'What keeps an instance in step with git, as far as you may read it, and the sources that a change can be proposed to',
    tag: 'Instances',
    replies: { 200: { description: 'The owner', schema: ref('InstanceOwner') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showOwner(actor, addressOf(params)) }),
  },
  {
    method: 'get',
    path: `${INSTANCE}/workloads`,
    operationId: 'listWorkloads',
    summary: 'The workloads of an instance with rollout and pods by revision, as far as you may read them',
    tag: 'Instances',
    replies: { 200: { description: 'The workloads, by kind and name', schema: pageOf('Workload') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: { items: await operations.listWorkloads(actor, addressOf(params)) },
    }),
  },
  {
    method: 'get',
    path: `${INSTANCE}/events`,
    operationId: 'listEvents',
    summary: 'The events about an instance and its tree, newest first',
    tag: 'Instances',
    replies: { 200: { description: 'The events', schema: pageOf('Event') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: { items: await operations.listEvents(actor, addressOf(params)) },
    }),
  },
  {
    method: 'get',
    path: `${INSTANCE}/logs`,
    operationId: 'showLogs',
    summary: 'The last lines that the pods of an instance have written, oldest first, as far as you may read them',
    tag: 'Instances',
    query: LOG_QUERY,
    replies: { 200: { description: 'The lines', schema: ref('Logs') } },
    handle: async ({ operations, actor, params, query }) => ({
      status: 200,
      body: await operations.showLogs(actor, { ...addressOf(params), ...logQueryOf(query) }),
    }),
  },
];

/** Moving instances from one version of their kind to another. The move itself is a PATCH with `version`. */
export const MIGRATION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/instances/{app}/{name}/migration',
    operationId: 'previewInstanceMigration',
    summary: 'Get the decisions that a move to another version of the kind requires; then PATCH the instance with the same `version`',
    tag: 'Instances',
    query: {
      version: {
        type: 'string',
        default: '',
        description: 'A served version; default: that of the app, which shows the values that do not fit',
      },
    },
    replies: { 200: { description: 'The rows to decide', schema: ref('Migration') } },
    handle: async ({ operations, actor, params, query }) => {
      const address = { environment: params['environment'] ?? '', app: params['app'] ?? '', name: params['name'] ?? '' };
      const migration = await operations.previewInstanceMigration(actor, { ...address, version: textAt(query, 'version') ?? '' });
      return { status: 200, body: shownMigration(migration) };
    },
  },
];

/** No filter when the query has none. */
function filterIn(query: Call['query']): Pick<TreeInput, 'filter'> {
  const [kind, search] = [textAt(query, 'kind'), textAt(query, 'search')];
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  const filter = {
    ...(kind === undefined ? {} : { kind }),
    ...(health === undefined ? {} : { health }),
    ...(search === undefined ? {} : { search }),
  };
  return Object.keys(filter).length === 0 ? {} : { filter };
}

async function create(call: Call): Promise<Reply> {
  const { operations, actor, params, query, body, requestOrigin } = call;
  const draft = {
    environment: params['environment'] ?? '',
    app: textAt(body, 'app') ?? '',
    name: textAt(body, 'name') ?? '',
    ...splitContent(contentOf(membersIn(body))),
    secrets: listAt(body, 'secrets').map(newSecret),
  };
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightInstance(actor, draft) };
  const wish = wishOf(call);
  if (wish !== undefined) return proposed(await operations.proposeInstall(actor, { draft, ...wish }));
  return { status: 201, body: await operations.createInstance(actor, { ...draft, ...requestOrigin }), location: pathOf(draft) };
}

/** What is neither the address of the instance nor made beside it. */
function membersIn(body: unknown): object {
  const { app: _app, name: _name, secrets: _secrets, ...members } = objectAt(body);
  return members;
}

/** A member that is sent takes the place of the live one; of labels and annotations each by itself. */
async function replaced(
  { operations, actor, body }: Call,
  address: InstanceAddress,
): Promise<Pick<InstanceChange, 'spec' | 'otherFields'>> {
  const { spec, otherFields = {} } = splitContent(contentOf(body));
  const { metadata, ...members } = otherFields;
  if (Object.keys(members).length === 0) return { spec, ...(metadata === undefined ? {} : { otherFields }) };
  const live = otherFieldsOf(contentOf((await operations.showInstance(actor, address)).object));
  const before = Object.fromEntries(Object.keys(members).map((key) => [key, live[key]]));
  return { spec, otherFields: { ...(mergePatchBetween(before, members) as JsonObject), ...(metadata === undefined ? {} : { metadata }) } };
}

function newSecret(item: unknown, index: number): NewSecret {
  const value = textAt(item, 'value');
  const named = { name: textAt(item, 'name') ?? '', key: textAt(item, 'key') ?? '', field: `secrets[${index}]` };
  return value === undefined ? named : { ...named, value: secret(value) };
}

async function change(call: Call, mode: 'Merge' | 'Replace'): Promise<Reply> {
  const { operations, actor, params, query, preconditions, requestOrigin } = call;
  const address = versioned(params, query);
  const sent = mode === 'Merge' ? splitContent(contentOf(call.body)) : await replaced(call, address);
  const wanted: InstanceChange = { ...address, ...sent, mode, preconditions };
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightChange(actor, wanted) };
  const wish = wishOf(call);
  if (wish !== undefined) return proposed(await operations.proposeChange(actor, { change: wanted, ...wish }));
  return { status: 200, body: await operations.updateInstance(actor, { ...wanted, ...requestOrigin }) };
}

export function addressOf(params: Call['params']): InstanceAddress {
  return { environment: params['environment'] ?? '', app: params['app'] ?? '', name: params['name'] ?? '' };
}

/** An address with the version of the kind that was asked for. */
function versioned(params: Call['params'], query: Call['query']): InstanceAddress {
  const version = textAt(query, 'version') ?? '';
  return version === '' ? addressOf(params) : { ...addressOf(params), version };
}

export function pathOf({ environment, app, name }: InstanceAddress): string {
  return `/api/v1/environments/${encodeURIComponent(environment)}/instances/${encodeURIComponent(app)}/${encodeURIComponent(name)}`;
}
