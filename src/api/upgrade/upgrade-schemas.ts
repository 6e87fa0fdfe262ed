import { CRD_SAFETY } from '../../domain/operator/kind/upgrade-fields.ts';
import { FINDING_SEVERITIES } from '../../domain/upgrade/crd-safety/finding.ts';
import { MIGRATION_CHANGES } from '../../domain/upgrade/migration-change.ts';
import { UPGRADE_STEPS } from '../../domain/upgrade/preview/upgrade-preview.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const integer = { type: 'integer' } as const;
const missing = {
  type: 'array',
  items: { $ref: '#/components/schemas/MissingPermission' },
  description: 'Permissions without which something is left out',
};

function list(items: unknown) {
  return { type: 'array', items };
}

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required };
}

const chart = object({ name: text, version: text, appVersion: text, digest: text }, ['name', 'version', 'digest']);
const value = object(
  {
    path: text,
    origin: { type: 'string', description: 'The layer that sets it' },
    change: { enum: ['same', 'changed', 'added', 'removed'] },
    from: { type: 'string', description: 'JSON; absent for what comes from a Secret' },
    to: text,
    secret: flag,
  },
  ['path', 'origin', 'change', 'secret'],
);
const change = object(
  {
    kind: text,
    apiVersion: text,
    namespace: text,
    name: text,
    change: { enum: ['added', 'removed', 'changed'] },
    labelsOnly: flag,
    restarts: { type: 'boolean', description: 'Its pods are replaced' },
    lines: { type: 'array', items: text, description: 'Lines of YAML that begin with `+`, `-` or a blank, and `@@` between them' },
    cut: { type: 'integer', description: 'How many lines were cut' },
  },
  ['kind', 'apiVersion', 'name', 'change', 'labelsOnly', 'restarts', 'lines', 'cut'],
);
const changes = { enum: MIGRATION_CHANGES, description: 'What becomes of fields, as in `Migration`' };
const affected = {
  ...object({
    changes: list(
      object({
        change: changes,
        fields: { type: 'array', items: text, description: 'At most ten' },
        fieldCount: integer,
        instances: integer,
      }),
    ),
    total: { type: 'integer', description: 'How many instances are affected' },
    named: {
      ...list(
        object({ namespace: text, environment: text, name: text, rows: list(object({ change: changes, count: integer })) }, [
          'name',
          'rows',
        ]),
      ),
      description: 'At most fifty of them',
    },
  }),
  description: 'What it will ask about stored instances, once it is there',
};
const definition = object(
  {
    crd: text,
    kind: text,
    change: { enum: ['added', 'changed', 'same', 'left'], description: '`left`: not in the new chart; it stays' },
    findings: list(object({ path: text, what: text, severity: { enum: FINDING_SEVERITIES } })),
    faults: list(object({ instance: text, path: text, why: text })),
    faultCount: integer,
    affected,
    rejection: text,
  },
  ['crd', 'kind', 'change', 'findings', 'faults', 'faultCount'],
);
const rejection = object({ object: text, field: text, why: text, recreate: flag, source: { enum: ['DryRun', 'Rule'] } });
const place = object({ app: text, kind: text, namespace: text, environment: text, count: integer }, ['app', 'kind', 'count']);

const decisions = {
  type: 'object',
  maxProperties: 500,
  additionalProperties: { type: 'string', maxLength: 65536 },
  description: 'By the path of the row one of its options, `set:` followed by YAML for `set`. Rows of the change `default` may be left out',
};
const valueRow = object(
  {
    path: text,
    change: changes,
    why: text,
    value: { description: 'What is set; `[secret]` for secrets' },
    from: { description: 'The default that applied' },
    to: { description: 'The default that would apply' },
    secret: flag,
    options: { type: 'array', items: text, description: 'Best first: `move:<path>`, `remove`, `leave`, `take`, `keep`, `set`' },
  },
  ['path', 'change', 'why', 'secret', 'options'],
);
const previewedDecisions = {
  ...object(
    {
      rows: list(valueRow),
      elsewhere: {
        ...list(object({ path: text, change: changes, why: text, origin: text })),
        description: 'Values of other layers than `spec.values`',
      },
      state: {
        enum: ['Nothing', 'Open', 'Faulty', 'Decided'],
        description: '`Decided`: the rest of the preview is with the values as they become',
      },
      faults: list(object({ message: text, field: text }, ['message'])),
      source: { type: 'string', description: 'The source whose file sets the values' },
      yaml: { type: 'string', description: '`spec.values` as they become, without secrets' },
    },
    ['rows', 'elsewhere', 'state', 'faults'],
  ),
  description: 'What the new chart asks about `spec.values`',
};

/** What the API says of upgrades. */
export const UPGRADE_SCHEMAS = {
  UpgradePreview: object(
    {
      namespace: text,
      name: text,
      displayName: text,
      from: { ...chart, description: 'What is installed' },
      to: chart,
      offered: { type: 'array', items: text, description: 'Newer versions of the channel, newest first' },
      verdict: object({ kind: { enum: ['Safe', 'Unsure', 'Stopped'] }, stops: list(text), unchecked: list(text) }),
      warnings: list(text),
      decisions: previewedDecisions,
      values: object({ leaves: list(value), omitted: integer, missing }),
      objects: object({ changes: list(change), unchanged: integer, omitted: integer }),
      crds: object({ items: list(definition), safety: { enum: CRD_SAFETY }, missing }),
      fields: object({ rejections: list(rejection), asked: integer, missing }),
      findings: { $ref: '#/components/schemas/Findings' },
      remedies: { type: 'array', items: { $ref: '#/components/schemas/Remedy' }, description: 'What would let the controller do it' },
      instances: object({
        places: list(place),
        total: integer,
        missing,
        unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
      }),
      conversions: list(object({ kind: text, name: text, from: text, to: text, note: text })),
      timing: object(
        {
          step: { enum: UPGRADE_STEPS, description: 'What has to happen before it is installed' },
          policy: { enum: ['Manual', 'Automatic'] },
          version: text,
          range: text,
          approved: text,
          fault: { type: 'string', description: 'Why the approval has no effect' },
          window: object({ sentence: text, open: flag, opensAt: { type: 'string', description: 'RFC 3339' } }),
          missing: { $ref: '#/components/schemas/MissingPermission' },
        },
        ['step', 'policy'],
      ),
      tried: { type: 'object', description: 'The merge patch of `spec.values` that was asked about' },
      commands: list(object({ label: text, text })),
    },
    [
      'namespace',
      'name',
      'displayName',
      'to',
      'offered',
      'verdict',
      'warnings',
      'values',
      'decisions',
      'objects',
      'crds',
      'fields',
      'findings',
      'remedies',
      'instances',
      'conversions',
      'timing',
      'commands',
    ],
  ),
  UpgradeQuestion: {
    ...object({ version: text, decisions, values: { type: 'object', description: 'A merge patch of `spec.values`' } }, []),
    additionalProperties: false,
  },
  Approval: {
    ...object(
      {
        version: text,
        digest: { type: 'string', description: '`sha256:…` of the chart that was looked at; another one is not approved' },
        decisions,
      },
      ['version'],
    ),
    additionalProperties: false,
  },
} as const;
