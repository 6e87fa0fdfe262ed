import { instanceKey } from '../../domain/operator/operator-instances.ts';
import { OPERATOR_STATES, orderKey, type OperatorFilter } from '../../domain/operator/operator-list.ts';
import { textAt, textsAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import { OPERATOR_ACTIONS, type OperatorAction } from '../../operation/operator/request-operator-action.ts';
import { LOG_QUERY, logQueryOf } from '../log-query.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { proposed, PROPOSED, PROPOSE_QUERY, wishOf } from '../proposal/proposal-routes.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';

const OPERATOR = '/operators/{namespace}/{name}';
const many = { type: 'array', items: { type: 'string' } } as const;
const missing = {
  missing: { type: 'array', items: ref('MissingPermission'), description: 'Missing permissions; without them, the answer is incomplete' },
} as const;
const unavailable = {
  unavailable: { type: 'array', items: ref('UnavailableKind'), description: 'Kinds that nobody can list now' },
} as const;

const STEP_SUMMARIES: Readonly<Record<OperatorAction, string>> = {
  reconcile: 'Request a reconcile (annotation `chandlery.dev/reconcile-at`)',
  force: 'Force an upgrade (annotation `chandlery.dev/force-at`)',
  suspend: 'Suspend reconciling',
  resume: 'Resume reconciling',
};

/** Routes of Operators. */
export const OPERATOR_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/operators',
    operationId: 'listOperators',
    summary: 'List operators (admins)',
    tag: 'Admin',
    query: {
      search: { type: 'string', default: '', description: 'Words that the names, kinds, chart or message must contain' },
      state: { type: 'array', items: { enum: OPERATOR_STATES } },
      category: many,
      upgrade: { enum: ['any', 'available'], default: 'any', description: '`available`: only Operators with a newer version' },
      order: { enum: ['name', 'problems'], default: 'name', description: '`problems`: Operators with problems first' },
      count: { enum: ['instances'], description: '`instances`: count the instances of the kinds of this page' },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of operators, and counts over all of them',
        schema: pageOf('Operator', {
          total: { type: 'integer' },
          states: { type: 'object', additionalProperties: { type: 'integer' } },
          upgradable: { type: 'integer' },
        }),
      },
    },
    handle: async (call) => await list(call),
  },
  {
    method: 'post',
    path: '/operators',
    operationId: 'createOperator',
    summary: 'Create an Operator, or with `dryRun=All` run its preflight checks',
    tag: 'Admin',
    query: { dryRun: { enum: ['All'], description: '`All`: run preflight checks only, and write nothing' }, ...PROPOSE_QUERY },
    body: ref('OperatorManifest'),
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created Operator; Location is its URL', schema: ref('Operator') },
      202: PROPOSED,
    },
    handle: async (call) => await create(call),
  },
  {
    ...read(
      '',
      { id: 'showOperator', summary: 'Get an operator (admins)', schema: ref('Operator') },
      async ({ operations, actor, params }) => operations.showOperator(actor, addressOf(params)),
    ),
    etag: 'strong',
  },
  read(
    '/tree',
    { id: 'showOperatorTree', summary: 'Get the resource tree of its release, with health', schema: ref('OperatorTree') },
    async ({ operations, actor, params }) => operations.showOperatorTree(actor, addressOf(params)),
  ),
  read(
    '/notes',
    {
      id: 'showReleaseNotes',
      summary: 'Get the notes of its chart (NOTES.txt), if you may get the release record',
      schema: ref('ReleaseNotes'),
    },
    async ({ operations, actor, params }) => operations.showReleaseNotes(actor, addressOf(params)),
  ),
  read(
    '/owner',
    {
      id: 'showOperatorOwner',
      summary: 'What keeps it in step with git, as far as you may read it, and the sources that a change can be proposed to',
      schema: ref('InstanceOwner'),
    },
    async ({ operations, actor, params }) => operations.showOperatorOwner(actor, addressOf(params)),
  ),
  {
    ...read(
      '/logs',
      { id: 'showOperatorLogs', summary: 'The last lines that its pods have written, oldest first', schema: ref('Logs') },
      async ({ operations, actor, params, query }) => operations.showOperatorLogs(actor, { ...addressOf(params), ...logQueryOf(query) }),
    ),
    query: LOG_QUERY,
  },
  {
    ...read(
      '/events',
      { id: 'listOperatorEvents', summary: 'List the events of the operator and its tree, newest first', schema: pageOf('Event', missing) },
      async ({ operations, actor, params, query }) => {
        const found = await operations.listOperatorEvents(actor, addressOf(params));
        const keyed = found.events.map((event, index) => ({ event, key: String(index).padStart(8, '0') }));
        const { items, ...rest } = pageOfItems(keyed, ({ key }) => key, query);
        return { items: items.map(({ event }) => event), ...rest, missing: found.missing };
      },
    ),
    query: PAGE_QUERY,
  },
  {
    ...read(
      '/instances',
      {
        id: 'listOperatorInstances',
        summary: 'List the instances of its kinds, by namespace',
        schema: pageOf('OperatorInstance', { ...missing, ...unavailable }),
      },
      async ({ operations, actor, params, query }) => {
        const found = await operations.listOperatorInstances(actor, addressOf(params));
        const wanted = textAt(query, 'namespace');
        const instances = wanted === undefined ? found.instances : found.instances.filter(({ namespace }) => namespace === wanted);
        return { ...pageOfItems(instances, instanceKey, query), missing: found.missing, unavailable: found.unavailable };
      },
    ),
    query: { namespace: { type: 'string', description: 'Only instances in this namespace' }, ...PAGE_QUERY },
  },
  read(
    '/problems',
    {
      id: 'listOperatorProblems',
      summary: 'List the problems of the operator',
      schema: { type: 'object', properties: { items: { type: 'array', items: ref('OperatorProblem') } }, required: ['items'] },
    },
    async ({ operations, actor, params }) => {
      const operator = await operations.showOperator(actor, addressOf(params));
      return { items: await operations.listOperatorProblems(actor, { operator }) };
    },
  ),
  read(
    '/deletion',
    {
      id: 'previewOperatorDeletion',
      summary: 'Preview the deletion, or its progress, with its blockers',
      schema: ref('OperatorDeletion'),
    },
    async ({ operations, actor, params }) => operations.previewOperatorDeletion(actor, addressOf(params)),
  ),
  ...OPERATOR_ACTIONS.map(steer),
  {
    method: 'delete',
    path: OPERATOR,
    operationId: 'deleteOperator',
    etag: 'strong',
    summary: 'Delete the operator according to its `deletionPolicy`',
    tag: 'Admin',
    replies: { 202: { description: 'The deletion is accepted; Location returns 404 once it is complete' } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      await operations.deleteOperator(actor, { ...addressOf(params), preconditions, ...requestOrigin });
      return { status: 202, location: pathOf(addressOf(params)) };
    },
  },
];

interface Described {
  readonly id: string;
  readonly summary: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

function read(below: string, { id, summary, schema }: Described, body: (call: Call) => Promise<unknown>): Route {
  return {
    method: 'get',
    path: `${OPERATOR}${below}`,
    operationId: id,
    summary,
    tag: 'Admin',
    replies: { 200: { description: summary, schema } },
    handle: async (call) => ({ status: 200, body: await body(call) }),
  };
}

function steer(step: OperatorAction): Route {
  return {
    method: 'post',
    path: `${OPERATOR}/${step}`,
    operationId: `${step}Operator`,
    etag: 'strong',
    summary: STEP_SUMMARIES[step],
    tag: 'Admin',
    replies: { 202: { description: 'The request is accepted; Location is the Operator', schema: ref('Operator') } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      const input = { ...addressOf(params), step, at: new Date().toISOString(), preconditions, ...requestOrigin };
      const body = await operations.requestOperatorAction(actor, input);
      return { status: 202, body, location: pathOf(addressOf(params)) };
    },
  };
}

async function create(call: Call): Promise<Reply> {
  const { operations, actor, query, body, requestOrigin } = call;
  const operator = body as KubeObject;
  if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightOperator(actor, operator) };
  const wish = wishOf(call);
  if (wish !== undefined) return proposed(await operations.proposeOperator(actor, { operator, ...wish }));
  const created = await operations.createOperator(actor, { operator, ...requestOrigin });
  const path = [created.namespace, created.name].map(encodeURIComponent).join('/');
  return { status: 201, body: created, location: `/api/v1/operators/${path}` };
}

async function list({ operations, actor, query }: Call): Promise<Reply> {
  const { operators, total, states, upgradable } = await operations.listOperators(actor, filterOf(query));
  const order = textAt(query, 'order') === 'problems' ? 'problems' : 'name';
  const page = pageOfItems(operators, (operator) => orderKey(operator, order), query);
  if (textAt(query, 'count') === undefined) return { status: 200, body: { ...page, total, states, upgradable } };
  const names = page.items.flatMap(({ crds }) => crds.map(({ name }) => name));
  const counts = await operations.countInstances(actor, names);
  const items = page.items.map((operator) => ({
    ...operator,
    crds: operator.crds.map((crd) => {
      const found = counts.get(crd.name);
      return found !== undefined && 'count' in found ? { ...crd, instances: found.count } : crd;
    }),
  }));
  return { status: 200, body: { ...page, items, total, states, upgradable } };
}

/** The query has been checked against the route's schemas. */
function filterOf(query: Call['query']): OperatorFilter {
  return {
    search: textAt(query, 'search') ?? '',
    state: textsAt(query, 'state') as OperatorFilter['state'],
    category: textsAt(query, 'category'),
    upgrade: textAt(query, 'upgrade') === 'available' ? 'available' : 'any',
  };
}

function addressOf(params: Call['params']): OperatorAddress {
  return { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
}

function pathOf({ namespace, name }: OperatorAddress): string {
  return `/api/v1/operators/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}
