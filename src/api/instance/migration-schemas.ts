import { MIGRATION_CHANGES } from '../../domain/upgrade/migration-change.ts';

const text = { type: 'string' } as const;

/** What answers about migrations look like. */
export const MIGRATION_SCHEMAS = {
  Migration: {
    type: 'object',
    required: ['version', 'from', 'versions', 'instanceEtag', 'rows', 'others'],
    properties: {
      version: text,
      from: { ...text, description: 'The version whose values are looked at' },
      versions: { type: 'array', items: text, description: 'The versions that the cluster serves' },
      instanceEtag: { ...text, description: 'The ETag of the instance, for `If-Match` of the PATCH' },
      others: { type: 'integer', description: 'Places of the schema that changed and that the values do not use' },
      rows: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'keys', 'change', 'why', 'secret', 'options'],
          properties: {
            path: { ...text, description: '`spec.users[0].name`' },
            keys: { type: 'array', items: { type: ['string', 'integer'] }, description: 'The path as steps below `spec`' },
            change: { enum: MIGRATION_CHANGES },
            why: text,
            value: { description: 'The value that is there; `[secret]` for secrets' },
            from: { description: 'The default that applied' },
            to: { description: 'The default that would apply' },
            secret: { type: 'boolean' },
            options: { type: 'array', items: text, description: 'Best first: `move:<path>`, `remove`, `keep`, `take`, `set`' },
          },
        },
      },
    },
  },
} as const;
