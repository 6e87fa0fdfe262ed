import { textAt, textsAt } from '../../domain/core/read.ts';
import type { AppQuery } from '../../operation/app/list-apps.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Route } from '../route.ts';
import { pageOf, ref } from '../schemas.ts';

const many = { type: 'array', items: { type: 'string' } } as const;

/** Routes of the catalogue, the account and catalogue faults. */
export const CATALOG_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/me',
    operationId: 'showMe',
    summary: 'Get your user name and groups at the api-server',
    tag: 'Account',
    replies: { 200: { description: 'You', schema: ref('Me') } },
    handle: async ({ operations, actor }) => ({ status: 200, body: await operations.me(actor) }),
  },
  {
    method: 'get',
    path: '/apps',
    operationId: 'listApps',
    summary: 'List the apps of the catalogue',
    tag: 'Catalogue',
    query: {
      search: { type: 'string', default: '', description: 'Words that the name, summary, category or provider must contain' },
      category: many,
      provider: many,
      availability: { type: 'array', items: { enum: ['Available', 'Installing', 'Unavailable'] } },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of the catalogue',
        schema: pageOf('AppSummary', { facets: { type: 'object' }, total: { type: 'integer' } }),
      },
    },
    handle: async ({ operations, actor, query }) => {
      const { apps, facets, total } = await operations.listApps(actor, appQuery(query));
      return { status: 200, body: { ...pageOfItems(apps, (app) => `${app.displayName.toLowerCase()} ${app.id}`, query), facets, total } };
    },
  },
  {
    method: 'get',
    path: '/apps/{app}',
    operationId: 'showApp',
    summary: 'Get an app with its README, versions and schema',
    tag: 'Catalogue',
    replies: { 200: { description: 'The app', schema: ref('App') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showApp(actor, params['app'] ?? '') }),
  },
  {
    method: 'get',
    path: '/apps/{app}/form',
    operationId: 'showForm',
    query: {
      environment: { type: 'string', default: '', description: 'The target environment, whose values and locks apply to the form' },
    },
    summary: 'Get the form for a new instance of an app: every field with its control, constraints, default and layer',
    tag: 'Catalogue',
    replies: { 200: { description: 'The form', schema: ref('Form') } },
    handle: async ({ operations, actor, params, query }) => ({
      status: 200,
      body: await operations.showForm(actor, { app: params['app'] ?? '', environment: textAt(query, 'environment') ?? '' }),
    }),
  },
  {
    method: 'get',
    path: '/catalog/faults',
    operationId: 'listFaults',
    summary: 'List faults in the catalogue files (admins)',
    tag: 'Admin',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of faults', schema: pageOf('Fault') } },
    handle: async ({ operations, actor, query }) => {
      const faults = (await operations.listFaults(actor)).map((fault, index) => ({
        fault,
        key: `${fault.source}/${fault.file}:${String(fault.line).padStart(8, '0')}:${index}`,
      }));
      const { items, ...rest } = pageOfItems(faults, ({ key }) => key, query);
      return { status: 200, body: { items: items.map(({ fault }) => fault), ...rest } };
    },
  },
  {
    method: 'get',
    path: '/catalog/drafts',
    operationId: 'listDrafts',
    summary: 'List CRDs that no Operator publishes, and how to publish them (admins)',
    tag: 'Admin',
    query: {
      operator: {
        type: 'string',
        pattern: '^[^/]+/[^/]+$',
        description: '`namespace/name`: only drafts that probably belong to this Operator',
      },
      ...PAGE_QUERY,
    },
    replies: { 200: { description: 'A page of drafts', schema: pageOf('Draft', { total: { type: 'integer' } }) } },
    handle: async ({ operations, actor, query }) => {
      const [namespace, name] = (textAt(query, 'operator') ?? '').split('/');
      const address = namespace === undefined || name === undefined ? undefined : { namespace, name };
      const drafts = await operations.listDrafts(actor, address);
      return { status: 200, body: { ...pageOfItems(drafts, (draft) => draft.name, query), total: drafts.length } };
    },
  },
];

/** The query has been checked against the route's schemas. */
function appQuery(query: Call['query']): AppQuery {
  return {
    search: textAt(query, 'search') ?? '',
    category: textsAt(query, 'category'),
    provider: textsAt(query, 'provider'),
    availability: textsAt(query, 'availability') as AppQuery['availability'],
  };
}
