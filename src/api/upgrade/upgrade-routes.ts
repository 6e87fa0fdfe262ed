import { at, isObject, textAt } from '../../domain/core/read.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import { proposed, PROPOSE_QUERY, wishOf } from '../proposal/proposal-routes.ts';
import type { Call, Route } from '../route.ts';
import { flag, integer, list, object, ref, text } from '../schema-parts.ts';
import { CRD_SAFETY } from '../../domain/operator/kind/upgrade-fields.ts';
import { FINDING_SEVERITIES } from '../../domain/upgrade/crd-safety/finding.ts';
import { MIGRATION_CHANGES } from '../../domain/upgrade/preview/value-rows.ts';
import { UPGRADE_STEPS } from '../../domain/upgrade/preview/upgrade-preview.ts';

/** Routes of upgrade previews and approvals. */
export const UPGRADE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/operators/{namespace}/{name}/upgrade-preview',
    operationId: 'previewUpgrade',
    summary: 'Preview the upgrade to another version of the chart (admins)',
    tag: 'Admin',
    query: {
      version: { type: 'string', default: '', description: 'By default the pending version, or the newest one of the channel' },
    },
    replies: { 200: { description: 'The preview', schema: ref('UpgradePreview') } },
    handle: async ({ operations, actor, params, query }) => {
      const preview = await operations.previewUpgrade(actor, { ...addressOf(params), version: textAt(query, 'version') ?? '' });
      return { status: 200, body: preview };
    },
  },
  {
    method: 'post',
    path: '/operators/{namespace}/{name}/upgrade-preview',
    operationId: 'previewUpgradeWithValues',
    summary: 'Preview the upgrade with decisions about values of the operator, or with other values. Writes nothing (admins)',
    tag: 'Admin',
    body: ref('UpgradePreviewRequest'),
    replies: { 200: { description: 'The preview', schema: ref('UpgradePreview') } },
    handle: async ({ operations, actor, params, body }) => {
      const values = at(body, 'values');
      const tried = isObject(values) ? { values: values as JsonObject } : {};
      const asked = { ...addressOf(params), version: textAt(body, 'version') ?? '', ...decisionsIn(body), ...tried };
      return { status: 200, body: await operations.previewUpgrade(actor, asked) };
    },
  },
  {
    method: 'post',
    path: '/operators/{namespace}/{name}/approval',
    operationId: 'approveUpgrade',
    etag: 'strong',
    summary: 'Approve a newer version, which the controller then installs (admins)',
    tag: 'Admin',
    query: PROPOSE_QUERY,
    body: ref('Approval'),
    replies: {
      202: {
        description: 'The approval is accepted; Location is the operator. With `propose`: the opened proposal',
        schema: { oneOf: [ref('Operator'), ref('Proposal')] },
      },
    },
    handle: async (call) => {
      const { operations, actor, params, body, preconditions, requestOrigin } = call;
      const address = addressOf(params);
      const approval = { version: textAt(body, 'version') ?? '', digest: textAt(body, 'digest') ?? '', ...decisionsIn(body) };
      const wish = wishOf(call);
      if (wish !== undefined) return proposed(await operations.proposeUpgrade(actor, { approval: { ...address, ...approval }, ...wish }));
      const operator = await operations.approveUpgrade(actor, { ...address, ...approval, preconditions, ...requestOrigin });
      const location = `/api/v1/operators/${encodeURIComponent(address.namespace)}/${encodeURIComponent(address.name)}`;
      return { status: 202, location, body: operator };
    },
  },
];

function decisionsIn(body: unknown): { readonly decisions?: Decisions } {
  const decisions = at(body, 'decisions');
  return isObject(decisions) ? { decisions: decisions as Decisions } : {};
}

function addressOf(params: Call['params']): OperatorAddress {
  return { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
}

const missing = {
  type: 'array',
  items: { $ref: '#/components/schemas/MissingPermission' },
  description: 'Missing permissions; without them, the answer is incomplete',
};

const chart = object({ name: text, version: text, appVersion: text, digest: text, changelog: ref('Changelog') }, [
  'name',
  'version',
  'digest',
]);
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
/** An object that changes, with its lines. */
export const OBJECT_CHANGE = object(
  {
    kind: text,
    apiVersion: text,
    namespace: text,
    name: text,
    change: { enum: ['added', 'removed', 'changed'] },
    labelsOnly: flag,
    restarts: { type: 'boolean', description: 'Its pods are replaced' },
    lines: { type: 'array', items: text, description: 'Lines of YAML that begin with `+`, `-` or a blank, and `@@` between them' },
    omittedLines: { type: 'integer', description: 'The number of lines that are left out' },
  },
  ['kind', 'apiVersion', 'name', 'change', 'labelsOnly', 'restarts', 'lines', 'omittedLines'],
);
const changes = { enum: MIGRATION_CHANGES, description: 'The change of the fields, as in `Migration`' };
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
    total: { type: 'integer', description: 'The number of affected instances' },
    instances: {
      ...list(
        object({ namespace: text, environment: text, name: text, rows: list(object({ change: changes, count: integer })) }, [
          'name',
          'rows',
        ]),
      ),
      description: 'At most fifty of them',
    },
  }),
  description: 'Instances whose fields the new CRD removes, renames or restricts',
};
const definition = object(
  {
    crd: text,
    kind: text,
    change: { enum: ['added', 'changed', 'same', 'retained'], description: '`retained`: not in the new chart, and not deleted' },
    findings: list(object({ path: text, message: text, severity: { enum: FINDING_SEVERITIES } })),
    faults: list(object({ instance: text, path: text, message: text })),
    faultCount: integer,
    affected,
    rejection: text,
  },
  ['crd', 'kind', 'change', 'findings', 'faults', 'faultCount'],
);
const rejection = object({ object: text, field: text, message: text, recreate: flag, source: { enum: ['DryRun', 'Rule'] } });
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
    message: text,
    value: { description: 'The value that is set; `[secret]` for secrets' },
    from: { description: 'The default that applied' },
    to: { description: 'The default that would apply' },
    secret: flag,
    options: { type: 'array', items: text, description: 'Best first: `move:<path>`, `remove`, `leave`, `take`, `keep`, `set`' },
  },
  ['path', 'change', 'message', 'secret', 'options'],
);
const previewedDecisions = {
  ...object(
    {
      rows: list(valueRow),
      otherLayers: {
        ...list(object({ path: text, change: changes, message: text, origin: text })),
        description: 'Values of other layers than `spec.values`, which need a change there',
      },
      state: {
        enum: ['None', 'Pending', 'Invalid', 'Complete'],
        description: '`Complete`: the rest of the preview uses the resulting values',
      },
      faults: list(object({ message: text, field: text }, ['message'])),
      source: { type: 'string', description: 'The source whose file sets the values' },
      yaml: { type: 'string', description: 'The resulting `spec.values`, without secrets' },
    },
    ['rows', 'otherLayers', 'state', 'faults'],
  ),
  description: 'Decisions about `spec.values` that the new chart requires',
};

/** Schemas of upgrade previews and approvals. */
export const UPGRADE_SCHEMAS = {
  UpgradePreview: object(
    {
      namespace: text,
      name: text,
      displayName: text,
      from: { ...chart, description: 'The installed chart' },
      to: chart,
      availableVersions: { type: 'array', items: text, description: 'Newer versions of the channel, newest first' },
      verdict: object({ kind: { enum: ['Safe', 'Incomplete', 'Blocked'] }, blockers: list(text), unchecked: list(text) }),
      warnings: list(text),
      decisions: previewedDecisions,
      values: object({ items: list(value), omitted: integer, missing }),
      objects: object({ changes: list(OBJECT_CHANGE), unchanged: integer, omitted: integer }),
      crds: object({ items: list(definition), safety: { enum: CRD_SAFETY }, missing }),
      fields: object({ rejections: list(rejection), checked: integer, missing }),
      findings: { $ref: '#/components/schemas/Findings' },
      remedies: {
        type: 'array',
        items: { $ref: '#/components/schemas/Remedy' },
        description: 'Grants that the account of the controller needs',
      },
      instances: object({
        namespaces: list(place),
        total: integer,
        missing,
        unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
      }),
      conversions: list(object({ kind: text, name: text, from: text, to: text, note: text })),
      timing: object(
        {
          step: { enum: UPGRADE_STEPS, description: 'What is required before the version is installed' },
          policy: { enum: ['Manual', 'Automatic'] },
          version: text,
          range: text,
          approved: text,
          fault: { type: 'string', description: 'Why the approval has no effect' },
          window: object({ description: text, open: flag, opensAt: { type: 'string', description: 'RFC 3339' } }),
          missing: { $ref: '#/components/schemas/MissingPermission' },
        },
        ['step', 'policy'],
      ),
      proposedValues: { type: 'object', description: 'The merge patch of `spec.values` of the request' },
      commands: list(object({ label: text, text })),
    },
    [
      'namespace',
      'name',
      'displayName',
      'to',
      'availableVersions',
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
  UpgradePreviewRequest: {
    ...object({ version: text, decisions, values: { type: 'object', description: 'A merge patch of `spec.values`' } }, []),
    additionalProperties: false,
  },
  Approval: {
    ...object(
      {
        version: text,
        digest: { type: 'string', description: '`sha256:…` of the previewed chart. Another chart is not approved' },
        decisions,
      },
      ['version'],
    ),
    additionalProperties: false,
  },
} as const;
