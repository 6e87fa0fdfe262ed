const text = { type: 'string' } as const;
const time = { type: 'string', description: 'RFC 3339' } as const;
const values = { type: 'object', additionalProperties: true, description: 'What goes under `spec`; secrets are left out' } as const;
const beside = {
  type: 'object',
  additionalProperties: true,
  description: 'What goes beside `spec`, laid out like the resource: labels and annotations under `metadata`',
} as const;
const title = { type: 'string', minLength: 1, maxLength: 100 } as const;
const description = { type: 'string', maxLength: 1000 } as const;

const owner = {
  description: 'A person, or all members of a group, by the names that the api-server knows them by',
  oneOf: [
    { type: 'object', properties: { user: text }, required: ['user'], additionalProperties: false },
    { type: 'object', properties: { group: text }, required: ['group'], additionalProperties: false },
  ],
} as const;

/** What the API says about saved configurations. */
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
      author: { ...text, description: 'The user who saved it first' },
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
      stripped: { type: 'array', items: text, description: 'The secrets that were left out' },
    },
    required: ['savedConfiguration', 'stripped'],
  },
  SavedConfigurationDraft: {
    type: 'object',
    properties: { app: text, title, description, values, beside, owner: { ...owner, description: 'By default you' } },
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
