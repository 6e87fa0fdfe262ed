import { FINDING_SUBJECTS } from '../../domain/preflight/findings.ts';
import { MIGRATION_CHANGES } from '../../domain/upgrade/preview/value-rows.ts';
import { VALUE_LAYERS } from '../../domain/values/value-change.ts';
import { anything, list, object, text } from '../schema-parts.ts';

const permission = { $ref: '#/components/schemas/MissingPermission' } as const;

/** Schemas of version migrations. */
export const MIGRATION_SCHEMAS = {
  Migration: {
    type: 'object',
    required: ['version', 'from', 'versions', 'instanceEtag', 'rows', 'others'],
    properties: {
      version: text,
      from: { ...text, description: 'The version of the current values' },
      versions: { type: 'array', items: text, description: 'The served versions of the kind' },
      instanceEtag: { ...text, description: 'The ETag of the instance, for `If-Match` of the PATCH' },
      others: { type: 'integer', description: 'The number of other schema changes, in fields that the values do not use' },
      rows: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'keys', 'change', 'message', 'secret', 'options'],
          properties: {
            path: { ...text, description: '`spec.users[0].name`' },
            keys: { type: 'array', items: { type: ['string', 'integer'] }, description: 'The path as steps below `spec`' },
            change: { enum: MIGRATION_CHANGES },
            message: text,
            value: { description: 'The current value; `[secret]` for secrets' },
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

const finding = object(
  {
    message: text,
    subject: { enum: FINDING_SUBJECTS },
    evidence: {
      enum: ['exact', 'estimate'],
      description: '`exact`: from the api-server; `estimate`: inferred from field names, the chart or other instances',
    },
    field: text,
  },
  ['message', 'subject', 'evidence'],
);
const helm = {
  ...object({ text, notes: { ...list(text), description: 'What Chandlery does in addition to the command' } }),
  description: 'For an Operator: how to install its chart without Chandlery',
};
const commands = object(
  { kubectl: text, curl: text, yaml: text, file: { type: 'string', description: 'A path for the YAML in a Git repository' }, helm },
  ['kubectl', 'curl', 'yaml', 'file'],
);

/** Schemas of preflight checks. */
export const PREFLIGHT_SCHEMAS = {
  ValueChange: object(
    {
      path: { ...text, description: 'For example `spec.storage.size`. Rows of lists are named by their key' },
      from: { description: 'The old value; absent when there is none' },
      to: { description: 'The new value; absent when there is none' },
      layer: { enum: VALUE_LAYERS, description: 'The layer that sets the new value' },
      secret: { type: 'boolean', description: 'Whether the values are replaced by `[secret]`' },
    },
    ['path', 'layer', 'secret'],
  ),
  Finding: finding,
  Findings: {
    ...object(
      Object.fromEntries(['created', 'changed', 'removed', 'blocked', 'warned', 'unchecked'].map((group) => [group, list(finding)])),
    ),
    description: 'The findings by group; `unchecked` has the checks that could not run',
  },
  Remedy: object({ permission, role: text, yaml: text, kubectl: text }),
  Preflight: object(
    {
      verdict: { enum: ['Ready', 'Blocked'] },
      object: anything,
      result: { ...anything, description: 'The object as the api-server would store it' },
      warnings: list(text),
      faults: list({ $ref: '#/components/schemas/FieldFault' }),
      missing: list(permission),
      grant: { type: 'string', description: 'RBAC objects (YAML) that grant the missing permissions' },
      remedies: list({ $ref: '#/components/schemas/Remedy' }),
      findings: { $ref: '#/components/schemas/Findings' },
      changes: {
        ...list({ $ref: '#/components/schemas/ValueChange' }),
        description:
          'The changed fields: for a new instance relative to its defaults, for a change relative to the live object. Secrets are masked',
      },
      commands,
    },
    ['verdict', 'object', 'warnings', 'faults', 'missing', 'remedies', 'findings', 'changes', 'commands'],
  ),
} as const;
