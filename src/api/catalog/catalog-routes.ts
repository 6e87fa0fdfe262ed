import { textAt, textsAt } from '../../domain/core/read.ts';
import type { AppQuery } from '../../operation/app/list-apps.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, JsonSchema, Route } from '../route.ts';
import { anything, flag, integer, list, object, pageOf, ref, text } from '../schema-parts.ts';
import { DRAFT_EVIDENCE } from '../../domain/catalog/draft-owner.ts';
import { FORM_KINDS } from '../../form/model/form-node.ts';

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
    handle: async ({ operations, actor, params }) => {
      const { hints: _forForms, ...body } = await operations.showApp(actor, params['app'] ?? '');
      return { status: 200, body };
    },
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

/** Schemas of drafts. */
export const DRAFT_SCHEMAS = {
  Draft: {
    type: 'object',
    properties: {
      name: { ...text, description: 'The name of the CRD' },
      kind: text,
      group: text,
      scope: { enum: ['Namespaced', 'Cluster'] },
      versions: { type: 'array', items: text, description: 'The served versions' },
      established: { type: 'boolean' },
      created: { ...text, description: 'RFC 3339; empty when unknown' },
      origin: {
        type: 'object',
        description: 'The origin of the CRD. A release known only from labels has no namespace in its name',
        properties: { kind: { enum: ['Operator', 'HelmRelease', 'FieldManager', 'Unknown'] }, name: text },
        required: ['kind'],
      },
      operator: {
        type: 'object',
        description: 'The Operator to which the CRD probably belongs, and the evidence',
        properties: { namespace: text, name: text, evidence: { enum: DRAFT_EVIDENCE } },
        required: ['namespace', 'name', 'evidence'],
      },
      publication: {
        type: 'object',
        description:
          '`Claim`: the YAML is an entry for an existing Operator. `Adopt`: a complete Operator manifest without its chart. `Publish`: an AppDefinition without a chart',
        properties: {
          kind: { enum: ['Claim', 'Adopt', 'Publish'] },
          instructions: text,
          file: { ...text, description: 'Relative to the folder of the catalogue' },
          yaml: text,
        },
        required: ['kind', 'instructions', 'yaml'],
      },
    },
    required: ['name', 'kind', 'group', 'scope', 'versions', 'established', 'created', 'origin', 'publication'],
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const formNode = {
  key: text,
  path: { ...list(text), description: 'The path from the root; `*` means the rows of a list or map' },
  label: text,
  help: object({ summary: text, more: text }),
  required: flag,
  immutable: { type: 'boolean', description: 'Cannot be changed once it has a value' },
  nullable: flag,
  layer: { enum: ['required', 'curated', 'all'] },
  kind: { enum: FORM_KINDS, description: 'The control' },
};

/** Schemas of forms. */
export const FORM_SCHEMAS = {
  FormNode: {
    ...object(
      {
        ...formNode,
        fallback: { description: 'The default of an empty field' },
        fallbackSource: { enum: ['schema', 'chart', 'operator', 'environment'] },
        inferred: {
          type: 'boolean',
          description: 'Whether values.yaml of the chart has it, and the schema of the chart does not describe it',
        },
        locked: { type: 'string', description: 'The owner of the lock' },
        types: list({ enum: ['string', 'integer', 'number', 'boolean'] }),
        format: text,
        strict: { type: 'boolean', description: 'Whether the schema itself requires the format of the control' },
        parts: { enum: [5, 6], description: 'The number of fields of a cron schedule, if known' },
        constraints: anything,
        options: list(object({ text, label: text, value: {} })),
        reference: {
          ...object(
            {
              to: object({ group: text, resource: text, kind: text }),
              part: { enum: ['name', 'key'] },
              of: text,
              key: text,
              kinds: anything,
            },
            ['to', 'part'],
          ),
          description:
            'The reference in the text: an object, or a key of the object that the sibling `of` names. `key` is the sibling that names a key of the object, `kinds` has the values of the sibling `kind`. Any text is accepted',
        },
        children: list({ $ref: '#/components/schemas/FormNode' }),
        keys: { type: 'string', description: 'The pattern of the keys of a map' },
        open: { type: 'boolean', description: 'Whether a group accepts keys that are not children' },
        item: { $ref: '#/components/schemas/FormNode' },
        value: { $ref: '#/components/schemas/FormNode' },
        branches: {
          ...list(object({ label: text, node: { $ref: '#/components/schemas/FormNode' } })),
          description: 'The branches of a choice',
        },
        reason: { type: 'string', description: 'Why there is no typed control' },
      },
      Object.keys(formNode),
    ),
    description: 'A field, or a group, list or map of fields',
  },
  Form: object(
    {
      app: text,
      version: text,
      mode: { enum: ['create', 'edit'] },
      root: { $ref: '#/components/schemas/FormNode' },
      hoisted: {
        enum: ['spec'],
        description: 'The field whose members are at the top level of a YAML form; absent for a kind without `spec`',
      },
      reduced: { type: 'string', description: 'Why some fields have no control of their own; absent when all have one' },
      coverage: object({ leaves: integer, typed: integer, yaml: integer, freeForm: integer, unreachable: list(text) }),
    },
    ['app', 'version', 'mode', 'root', 'coverage'],
  ),
} as const;
