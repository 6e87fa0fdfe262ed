import { FINDING_SUBJECTS } from '../../domain/preflight/findings.ts';
import { MIGRATION_CHANGES } from '../../domain/upgrade/migration-change.ts';
import { VALUE_LAYERS } from '../../domain/values/value-change.ts';

const text = { type: 'string' } as const;
const anything = { type: 'object', additionalProperties: true } as const;
const permission = { $ref: '#/components/schemas/MissingPermission' } as const;

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

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required };
}

function list(items: unknown) {
  return { type: 'array', items };
}

const finding = object(
  {
    message: text,
    about: { enum: FINDING_SUBJECTS },
    evidence: {
      enum: ['exact', 'estimate'],
      description: '`exact`: the api-server said so; `estimate`: by names of fields, by the chart, or by what other instances have',
    },
    field: text,
  },
  ['message', 'about', 'evidence'],
);
const helm = {
  ...object({ text, notes: { ...list(text), description: 'What Chandlery does and the command does not' } }),
  description: 'Of an Operator: the installation of its chart without Chandlery',
};
const commands = object(
  { kubectl: text, curl: text, yaml: text, file: { type: 'string', description: 'A place for the YAML in a repository' }, helm },
  ['kubectl', 'curl', 'yaml', 'file'],
);

/** What the API says of checks before anything is written. */
export const PREFLIGHT_SCHEMAS = {
  ValueChange: object(
    {
      path: { ...text, description: 'Such as `spec.storage.size`; rows of lists by what tells them apart' },
      from: { description: 'Absent: there is none' },
      to: { description: 'Absent: there is none' },
      layer: { enum: VALUE_LAYERS, description: 'Who sets what it becomes' },
      secret: { type: 'boolean', description: 'Whether `[secret]` stands for the values' },
    },
    ['path', 'layer', 'secret'],
  ),
  Finding: finding,
  Findings: {
    ...object(
      Object.fromEntries(['created', 'changed', 'removed', 'blocked', 'warned', 'unchecked'].map((group) => [group, list(finding)])),
    ),
    description: 'What would happen and what stands against it, line by line; `unchecked` is what could not be looked at',
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
      grant: { type: 'string', description: 'RBAC objects (YAML) that would grant what is missing' },
      remedies: list({ $ref: '#/components/schemas/Remedy' }),
      findings: { $ref: '#/components/schemas/Findings' },
      changes: {
        ...list({ $ref: '#/components/schemas/ValueChange' }),
        description:
          'What differs, field by field: for a new instance from its defaults, for a change from what is live. Secrets are masked',
      },
      commands,
    },
    ['verdict', 'object', 'warnings', 'faults', 'missing', 'remedies', 'findings', 'changes', 'commands'],
  ),
} as const;
