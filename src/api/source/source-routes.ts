import { textAt, textsAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceFilter } from '../../domain/source/source-list.ts';
import { SOURCE_STATES } from '../../domain/source/source-view.ts';
import type { SourceAction } from '../../operation/source/change-source.ts';
import { DELETION_INTENT_QUERY, intentIn } from '../deletion-intent.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { integer, list, object, pageOf, ref, text } from '../schema-parts.ts';
import { SOURCE_ROLLBACK_ROUTES } from './rollback-routes.ts';

const SOURCE = '/sources/{name}';

/** Routes of CatalogSources. */
export const SOURCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/sources',
    operationId: 'listSources',
    summary: 'List the CatalogSources (admins)',
    tag: 'Admin',
    query: {
      search: { type: 'string', default: '', description: 'Words that the name, address or message must contain' },
      state: { type: 'array', items: { enum: SOURCE_STATES } },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of sources, and counts over all of them',
        schema: pageOf('Source', { total: integer, states: { type: 'object', additionalProperties: integer } }),
      },
    },
    handle: async (call) => await listOf(call),
  },
  {
    method: 'post',
    path: '/sources',
    operationId: 'createSource',
    summary: 'Create a CatalogSource, or with `dryRun=All` run its preflight checks (admins)',
    tag: 'Admin',
    query: { dryRun: { enum: ['All'], description: '`All`: run preflight checks only, and write nothing' } },
    body: ref('SourceManifest'),
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created source; Location is its URL', schema: ref('Source') },
    },
    handle: async ({ operations, actor, query, body, requestOrigin }) => {
      const source = body as KubeObject;
      if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightSource(actor, source) };
      const created = await operations.createSource(actor, { source, ...requestOrigin });
      return { status: 201, body: created, location: locationOf({ name: created.name }) };
    },
  },
  {
    method: 'get',
    path: SOURCE,
    operationId: 'showSource',
    etag: 'strong',
    summary: 'Get a CatalogSource (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The source', schema: ref('Source') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showSource(actor, nameOf(params)) }),
  },
  {
    method: 'get',
    path: `${SOURCE}/inventory`,
    operationId: 'listSourceInventory',
    summary: 'List the resources that a CatalogSource owns, with their health',
    tag: 'Admin',
    query: {
      search: { type: 'string', default: '', description: 'Words that the kind, name, namespace or file must contain' },
      kind: { type: 'array', items: { type: 'string' }, description: '`apiVersion/Kind`, such as `chandlery.dev/v1alpha1/Environment`' },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of resources, by file',
        schema: pageOf('OwnedResource', {
          matches: integer,
          total: integer,
          kinds: list(object({ kind: text, count: integer })),
        }),
      },
    },
    handle: async ({ operations, actor, params, query }) => ({
      status: 200,
      body: await operations.listSourceInventory(actor, {
        ...nameOf(params),
        search: textAt(query, 'search') ?? '',
        kind: textsAt(query, 'kind'),
        ...pageQueryOf(query),
      }),
    }),
  },
  {
    method: 'get',
    path: `${SOURCE}/preview`,
    operationId: 'previewSource',
    summary: 'Preview what a revision would change: the one that the source reads, or any other of its repository',
    tag: 'Admin',
    query: {
      ref: {
        type: 'string',
        maxLength: 300,
        description: 'A branch, `tag:v1.4.0`, `semver:>=1.2.0 <2.0.0`, or a commit by its 40 characters. Default: the ref of the source',
      },
    },
    replies: { 200: { description: 'The preview; nothing is written for it', schema: ref('SourcePreview') } },
    handle: async ({ operations, actor, params, query }) => {
      const wanted = textAt(query, 'ref');
      const input = { ...nameOf(params), ...(wanted === undefined ? {} : { ref: wanted }) };
      return { status: 200, body: await operations.previewSource(actor, input) };
    },
  },
  ...SOURCE_ROLLBACK_ROUTES,
  act('post', 'sync', { action: 'sync', id: 'syncSource', summary: 'Sync now (annotation `chandlery.dev/reconcile-at`)' }),
  {
    method: 'get',
    path: `${SOURCE}/suspension`,
    operationId: 'showSourceSuspension',
    etag: 'strong',
    summary: 'Whether a CatalogSource is suspended',
    tag: 'Admin',
    replies: { 200: { description: 'The suspension', schema: ref('SourceSuspension') } },
    handle: async ({ operations, actor, params }) => {
      const { suspended, etag } = await operations.showSource(actor, nameOf(params));
      return { status: 200, body: { suspended }, etag };
    },
  },
  act('post', 'suspension', { action: 'suspend', id: 'suspendSource', summary: 'Suspend: nothing is read or applied' }),
  act('delete', 'suspension', { action: 'resume', id: 'resumeSource', summary: 'Resume after a suspension' }),
  {
    method: 'post',
    path: `${SOURCE}/origin-confirmation`,
    operationId: 'confirmOrigin',
    etag: 'strong',
    summary: 'Confirm the folder or address that takes the place of the one before (annotation `chandlery.dev/confirmed-origin`)',
    tag: 'Admin',
    body: ref('OriginConfirmation'),
    largestBody: SMALL_BODY,
    replies: { 202: { description: 'The confirmation is accepted; Location is the source', schema: ref('Source') } },
    handle: async ({ operations, actor, params, body, preconditions, requestOrigin }) => {
      const origin = textAt(body, 'origin') ?? '';
      const source = await operations.confirmOrigin(actor, { ...nameOf(params), origin, preconditions, ...requestOrigin });
      return { status: 202, body: source, location: locationOf(params) };
    },
  },
  {
    method: 'post',
    path: `${SOURCE}/kept-resources`,
    operationId: 'keepResource',
    etag: 'strong',
    summary: 'Keep a resource that is pending removal (its annotation `chandlery.dev/prune: disabled`)',
    tag: 'Admin',
    body: ref('KeptResource'),
    largestBody: SMALL_BODY,
    replies: { 202: { description: 'The source gives the resource up; Location is the source', schema: ref('Source') } },
    handle: async ({ operations, actor, params, body, preconditions, requestOrigin }) => {
      const resource = textAt(body, 'resource') ?? '';
      const at = new Date().toISOString();
      const source = await operations.keepResource(actor, { ...nameOf(params), resource, at, preconditions, ...requestOrigin });
      return { status: 202, body: source, location: locationOf(params) };
    },
  },
  {
    method: 'post',
    path: `${SOURCE}/prune-approval`,
    operationId: 'approvePrune',
    etag: 'strong',
    summary: 'Remove what is pending removal in exactly this revision now (annotation `chandlery.dev/approved-prune`)',
    tag: 'Admin',
    body: ref('PruneApproval'),
    largestBody: SMALL_BODY,
    replies: { 202: { description: 'The approval is accepted; Location is the source', schema: ref('Source') } },
    handle: async ({ operations, actor, params, body, preconditions, requestOrigin }) => {
      const revision = textAt(body, 'revision') ?? '';
      const source = await operations.approvePrune(actor, { ...nameOf(params), revision, preconditions, ...requestOrigin });
      return { status: 202, body: source, location: locationOf(params) };
    },
  },
  {
    method: 'get',
    path: `${SOURCE}/deletion`,
    operationId: 'previewSourceDeletion',
    summary: 'Preview the deletion of a CatalogSource: what is deleted with it',
    tag: 'Admin',
    replies: { 200: { description: 'The preview', schema: ref('SourceDeletion') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.previewSourceDeletion(actor, nameOf(params)) }),
  },
  {
    method: 'delete',
    path: SOURCE,
    operationId: 'deleteSource',
    etag: 'strong',
    summary: 'Delete a CatalogSource, and with `prune` the resources that it owns',
    tag: 'Admin',
    query: DELETION_INTENT_QUERY,
    replies: { 202: { description: 'The deletion is accepted; Location returns 404 once it is complete' } },
    handle: async ({ operations, actor, params, query, preconditions, requestOrigin }) => {
      await operations.deleteSource(actor, { ...nameOf(params), preconditions, intent: intentIn(query), ...requestOrigin });
      return { status: 202, location: locationOf(params) };
    },
  },
];

interface Act {
  readonly action: SourceAction;
  readonly id: string;
  readonly summary: string;
}

function act(method: 'post' | 'delete', below: string, { action, id, summary }: Act): Route {
  return {
    method,
    path: `${SOURCE}/${below}`,
    operationId: id,
    etag: 'strong',
    summary,
    tag: 'Admin',
    replies: { 202: { description: 'The request is accepted; Location is the source', schema: ref('Source') } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      const input = { ...nameOf(params), action, at: new Date().toISOString(), preconditions, ...requestOrigin };
      return { status: 202, body: await operations.requestSourceAction(actor, input), location: locationOf(params) };
    },
  };
}

async function listOf({ operations, actor, query }: Call): Promise<Reply> {
  const { sources, total, states } = await operations.listSources(actor, filterOf(query));
  return { status: 200, body: { ...pageOfItems(sources, ({ name }) => name, query), total, states } };
}

/** The query has been checked against the schemas of the route. */
function filterOf(query: Call['query']): SourceFilter {
  return { search: textAt(query, 'search') ?? '', state: textsAt(query, 'state') as SourceFilter['state'] };
}

function pageQueryOf({ limit, after }: Call['query']): { readonly limit: number; readonly after?: string } {
  return { limit: typeof limit === 'number' ? limit : 100, ...(typeof after === 'string' ? { after } : {}) };
}

function nameOf(params: Call['params']): { readonly name: string } {
  return { name: params['name'] ?? '' };
}

function locationOf(params: Call['params']): string {
  return `/api/v1/sources/${encodeURIComponent(nameOf(params).name)}`;
}
