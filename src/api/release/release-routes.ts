import { textAt } from '../../domain/core/read.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, JsonSchema, Route } from '../route.ts';
import { flag, integer, list, object, pageOf, ref, text } from '../schema-parts.ts';

const RELEASE = '/releases/{name}';

/** Routes of CatalogReleases. */
export const RELEASE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/releases',
    operationId: 'listReleases',
    summary: 'List the CatalogReleases by name (admins)',
    tag: 'Admin',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of releases', schema: pageOf('Release') } },
    handle: async ({ operations, actor, query }) => ({
      status: 200,
      body: pageOfItems(await operations.listReleases(actor), ({ name }) => name, query),
    }),
  },
  {
    method: 'get',
    path: RELEASE,
    operationId: 'showRelease',
    summary: 'Get a CatalogRelease: its components, what runs it, and what is next (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The release', schema: ref('Release') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showRelease(actor, nameOf(params)) }),
  },
  {
    method: 'get',
    path: `${RELEASE}/upgrade-preview`,
    operationId: 'previewRelease',
    summary: 'Preview the upgrade of Operators of earlier releases to a CatalogRelease (admins)',
    tag: 'Admin',
    query: { target: { type: 'string', default: '', description: 'Only this installation and cluster, as `installation.cluster`' } },
    replies: { 200: { description: 'The previews', schema: ref('ReleaseUpgradePreview') } },
    handle: async ({ operations, actor, params, query }) => {
      const target = textAt(query, 'target') ?? '';
      return { status: 200, body: await operations.previewRelease(actor, { ...nameOf(params), ...(target === '' ? {} : { target }) }) };
    },
  },
];

function nameOf(params: Call['params']): { readonly name: string } {
  return { name: params['name'] ?? '' };
}

const own = object({ name: text, version: text, release: text }, ['name', 'version']);

/** Components of the OpenAPI document about CatalogReleases. */
export const RELEASE_SCHEMAS = {
  Release: object({
    name: text,
    version: text,
    state: { enum: ['wip', 'active', 'deprecated', 'archived'] },
    upgradesFrom: list(text),
    components: list(
      object({ name: text, chart: text, version: text, digest: text, dependsOn: list(text) }, ['name', 'version', 'dependsOn']),
    ),
    targets: list(object({ name: text, resources: list(text), components: list(own), next: list(text) })),
    next: list(text),
    conditions: list(ref('Condition')),
  }),
  ReleaseUpgradePreview: object({
    release: text,
    items: list(
      object(
        {
          component: text,
          operator: object({ namespace: text, name: text }),
          target: text,
          release: text,
          from: text,
          to: text,
          changesValues: flag,
          preview: ref('UpgradePreview'),
          failure: text,
        },
        ['component', 'operator', 'target', 'release', 'from', 'to', 'changesValues'],
      ),
    ),
    omitted: integer,
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
