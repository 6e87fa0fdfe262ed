import { objectAt, textAt } from '../../domain/core/read.ts';
import { savedConfigurationEtag, type SavedConfigurationOwner } from '../../domain/saved-configuration/saved-configuration.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref, text } from '../schema-parts.ts';

const SAVED_CONFIGURATION = '/saved-configurations/{id}';

/** Saved configurations of people, groups and environments. */
export const SAVED_CONFIGURATION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/saved-configurations',
    operationId: 'listSavedConfigurations',
    summary: 'List the saved configurations of you, your groups and your environments',
    tag: 'Saved configurations',
    query: {
      app: { type: 'string', default: '', description: 'Only configurations of this app' },
      search: { type: 'string', default: '', description: 'Words that title, description or owner must contain' },
      ...PAGE_QUERY,
    },
    replies: { 200: { description: 'A page of saved configurations', schema: pageOf('SavedConfiguration') } },
    handle: async ({ operations, actor, query }) => {
      const savedConfigurations = await operations.listSavedConfigurations(actor, {
        app: textAt(query, 'app') ?? '',
        search: textAt(query, 'search') ?? '',
      });
      return { status: 200, body: pageOfItems(savedConfigurations, ({ title, id }) => `${title.toLowerCase()} ${id}`, query) };
    },
  },
  {
    method: 'post',
    path: '/saved-configurations',
    operationId: 'saveConfiguration',
    summary: 'Save a configuration for yourself, a group of yours or an environment, without its secrets',
    tag: 'Saved configurations',
    body: ref('SavedConfigurationDraft'),
    replies: { 201: { description: 'The saved configuration; Location is its URL', schema: ref('SavedConfigurationResult') } },
    handle: async (call) => await save(call),
  },
  {
    method: 'get',
    path: SAVED_CONFIGURATION,
    operationId: 'showSavedConfiguration',
    etag: 'strong',
    summary: 'Get a saved configuration',
    tag: 'Saved configurations',
    replies: { 200: { description: 'The saved configuration; use its ETag in `If-Match`', schema: ref('SavedConfiguration') } },
    handle: async ({ operations, actor, params }) => {
      const savedConfiguration = await operations.showSavedConfiguration(actor, params['id'] ?? '');
      return { status: 200, body: savedConfiguration, etag: savedConfigurationEtag(savedConfiguration) };
    },
  },
  {
    method: 'patch',
    path: SAVED_CONFIGURATION,
    operationId: 'changeSavedConfiguration',
    etag: 'strong',
    summary: 'Change a saved configuration by a JSON Merge Patch (RFC 7386)',
    tag: 'Saved configurations',
    body: ref('SavedConfigurationPatch'),
    replies: { 200: { description: 'The changed configuration', schema: ref('SavedConfigurationResult') } },
    handle: async (call) => await change(call),
  },
  {
    method: 'get',
    path: `${SAVED_CONFIGURATION}/versions`,
    operationId: 'listSavedConfigurationVersions',
    summary: 'List earlier versions of a saved configuration, newest first',
    tag: 'Saved configurations',
    replies: {
      200: {
        description: 'At most five versions',
        schema: { type: 'object', properties: { items: { type: 'array', items: ref('SavedConfiguration') } } },
      },
    },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: { items: await operations.listSavedConfigurationVersions(actor, params['id'] ?? '') },
    }),
  },
  {
    method: 'get',
    path: `${SAVED_CONFIGURATION}/comparison`,
    operationId: 'compareSavedConfiguration',
    summary: 'Compare a saved configuration with the defaults of the app or with an instance',
    tag: 'Saved configurations',
    query: {
      environment: {
        type: 'string',
        default: '',
        description: 'With `name`: the instance to compare with. Default: the defaults of the app',
      },
      name: { type: 'string', default: '' },
    },
    replies: { 200: { description: 'The fields that differ', schema: ref('SavedConfigurationComparison') } },
    handle: async ({ operations, actor, params, query }) => {
      const instance = { environment: textAt(query, 'environment') ?? '', name: textAt(query, 'name') ?? '' };
      const wanted = { id: params['id'] ?? '', ...(instance.environment === '' && instance.name === '' ? {} : { instance }) };
      return { status: 200, body: { changes: (await operations.compareSavedConfiguration(actor, wanted)).changes } };
    },
  },
  {
    method: 'delete',
    path: SAVED_CONFIGURATION,
    operationId: 'deleteSavedConfiguration',
    etag: 'strong',
    summary: 'Delete a saved configuration',
    tag: 'Saved configurations',
    replies: { 200: { description: 'The configuration is deleted' } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      await operations.deleteSavedConfiguration(actor, { id: params['id'] ?? '', preconditions, ...requestOrigin });
      return { status: 200 };
    },
  },
];

async function save({ operations, actor, body, requestOrigin }: Call): Promise<Reply> {
  const saved = await operations.saveConfiguration(actor, {
    app: textAt(body, 'app') ?? '',
    title: textAt(body, 'title') ?? '',
    description: textAt(body, 'description') ?? '',
    values: objectAt(body, 'values') as JsonObject,
    otherFields: objectAt(body, 'otherFields') as JsonObject,
    owner: ownerIn(body) ?? { user: actor.user },
    ...requestOrigin,
  });
  return {
    status: 201,
    body: saved,
    etag: savedConfigurationEtag(saved.savedConfiguration),
    location: `/api/v1/saved-configurations/${saved.savedConfiguration.id}`,
  };
}

async function change({ operations, actor, params, body, preconditions, requestOrigin }: Call): Promise<Reply> {
  const [title, description] = [textAt(body, 'title'), textAt(body, 'description')];
  const owner = ownerIn(body);
  const saved = await operations.changeSavedConfiguration(actor, {
    id: params['id'] ?? '',
    preconditions,
    ...requestOrigin,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
    ...(Object.hasOwn(body as object, 'values') ? { values: objectAt(body, 'values') as JsonObject, mode: 'Merge' } : {}),
    ...(Object.hasOwn(body as object, 'otherFields') ? { otherFields: objectAt(body, 'otherFields') as JsonObject, mode: 'Merge' } : {}),
  });
  return { status: 200, body: saved, etag: savedConfigurationEtag(saved.savedConfiguration) };
}

function ownerIn(body: unknown): SavedConfigurationOwner | undefined {
  const [user, group, environment] = ['user', 'group', 'environment'].map((kind) => textAt(body, 'owner', kind));
  if (group !== undefined) return { group };
  if (environment !== undefined) return { environment };
  return user === undefined ? undefined : { user };
}

const time = { type: 'string', description: 'RFC 3339' } as const;
const values = { type: 'object', additionalProperties: true, description: 'The `spec`, without secrets' } as const;
const otherFields = {
  type: 'object',
  additionalProperties: true,
  description: 'What goes beside `spec`, laid out like the resource: labels and annotations under `metadata`',
} as const;
const title = { type: 'string', minLength: 1, maxLength: 100 } as const;
const description = { type: 'string', maxLength: 1000 } as const;

const owner = {
  description: 'A user or a group, by its name at the api-server, or an environment',
  oneOf: [
    { type: 'object', properties: { user: text }, required: ['user'], additionalProperties: false },
    { type: 'object', properties: { group: text }, required: ['group'], additionalProperties: false },
    { type: 'object', properties: { environment: text }, required: ['environment'], additionalProperties: false },
  ],
} as const;

/** Schemas of saved configurations. */
export const SAVED_CONFIGURATION_SCHEMAS = {
  SavedConfiguration: {
    type: 'object',
    properties: {
      id: text,
      app: text,
      title,
      description,
      values,
      otherFields,
      owner,
      author: { ...text, description: 'The user who created it' },
      created: time,
      updated: time,
      version: { type: 'integer' },
      fault: {
        type: 'object',
        description: 'What is wrong with a configuration that somebody wrote past Chandlery; absent: nothing',
        properties: { kind: { enum: ['Malformed', 'UnknownApp', 'Secrets', 'TooLarge'] }, message: text },
        required: ['kind', 'message'],
      },
    },
    required: ['id', 'app', 'title', 'description', 'values', 'owner', 'created', 'updated', 'version'],
  },
  SavedConfigurationResult: {
    type: 'object',
    properties: {
      savedConfiguration: { $ref: '#/components/schemas/SavedConfiguration' },
      omittedSecrets: { type: 'array', items: text, description: 'The paths of secrets that were not saved' },
    },
    required: ['savedConfiguration', 'omittedSecrets'],
  },
  SavedConfigurationDraft: {
    type: 'object',
    properties: { app: text, title, description, values, otherFields, owner: { ...owner, description: 'Default: you' } },
    required: ['app', 'title', 'values'],
    additionalProperties: false,
  },
  SavedConfigurationPatch: { type: 'object', properties: { title, description, values, otherFields, owner }, additionalProperties: false },
  SavedConfigurationComparison: {
    type: 'object',
    properties: { changes: { type: 'array', items: { $ref: '#/components/schemas/ValueChange' } } },
    required: ['changes'],
  },
} as const;
