import { text } from '../schema-parts.ts';

const time = { type: 'string', description: 'RFC 3339' } as const;
const values = { type: 'object', additionalProperties: true, description: 'The `spec`, without secrets' } as const;
const beside = {
  type: 'object',
  additionalProperties: true,
  description: 'What goes beside `spec`, laid out like the resource: labels and annotations under `metadata`',
} as const;
const title = { type: 'string', minLength: 1, maxLength: 100 } as const;
const description = { type: 'string', maxLength: 1000 } as const;

const owner = {
  description: 'A user or a group, by its name at the api-server',
  oneOf: [
    { type: 'object', properties: { user: text }, required: ['user'], additionalProperties: false },
    { type: 'object', properties: { group: text }, required: ['group'], additionalProperties: false },
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
      beside,
      owner,
      author: { ...text, description: 'The user who created it' },
      created: time,
      updated: time,
      version: { type: 'integer' },
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
    properties: { app: text, title, description, values, beside, owner: { ...owner, description: 'Default: you' } },
    required: ['app', 'title', 'values'],
    additionalProperties: false,
  },
  SavedConfigurationPatch: { type: 'object', properties: { title, description, values, beside, owner }, additionalProperties: false },
  SavedConfigurationComparison: {
    type: 'object',
    properties: { changes: { type: 'array', items: { $ref: '#/components/schemas/ValueChange' } } },
    required: ['changes'],
  },
} as const;
