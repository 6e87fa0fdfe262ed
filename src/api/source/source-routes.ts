import { textAt, textsAt } from '../../domain/core/read.ts';
import type { SourceFilter } from '../../domain/source/source-list.ts';
import { SOURCE_STATES } from '../../domain/source/source-view.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { integer, list, object, pageOf, ref, text } from '../schema-parts.ts';

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
];

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
