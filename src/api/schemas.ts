import { TOKEN_SCOPES } from '../domain/kubernetes/access-limits.ts';
import { OPERATOR } from '../domain/kubernetes/resource-types.ts';
import { LEGACY_STATUSES, PENDING_REASONS, REVISION_STATUSES } from '../domain/operator/kind/status-fields.ts';
import { ENVIRONMENT_ROLES } from '../domain/environment/environment-kind.ts';
import { ERROR_TABLE } from '../domain/core/error-table.ts';
import { HEALTH_STATUSES } from '../domain/health/health.ts';
import { MAX_SECRET_LENGTH } from '../domain/instance/new-secret.ts';
import { METRICS_SCHEMAS } from './monitoring/metrics-routes.ts';
import { CONNECTION_SCHEMAS } from './connection/connection-routes.ts';
import { TIMELINE_SCHEMAS } from './timeline/timeline-routes.ts';
import { DEPLOYMENT_SCHEMAS } from './environment/deployment-routes.ts';
import { BOARD_SCHEMAS, ENVIRONMENT_RESOURCE_SCHEMAS } from './environment/environment-schemas.ts';
import { ENVIRONMENT_WRITE_SCHEMAS } from './environment/write-routes.ts';
import { DRAFT_SCHEMAS, FORM_SCHEMAS } from './catalog/catalog-routes.ts';
import { DESCRIPTION_SCHEMAS } from './catalog/description-routes.ts';
import type { JsonSchema } from './route.ts';
import { MIGRATION_SCHEMAS, PREFLIGHT_SCHEMAS, TREE_SCHEMAS, WORKLOAD_SCHEMAS } from './instance/instance-schemas.ts';
import { RESOURCE_SCHEMAS } from './resource/resource-routes.ts';
import { CHANGE_REQUEST_SCHEMAS } from './change-request/change-request-routes.ts';
import { ACCESS_TOKEN_SCHEMAS } from './access-token/access-token-routes.ts';
import { REGISTRATION_TOKEN_SCHEMAS } from './access-token/registration-token-routes.ts';
import { AUDIT_SCHEMAS } from './audit/audit-routes.ts';
import { SAVED_CONFIGURATION_SCHEMAS } from './saved-configuration/saved-configuration-routes.ts';
import { RELEASE_SCHEMAS } from './release/release-routes.ts';
import { APP_DEFINITION_SCHEMAS } from './app-definition/app-definition-routes.ts';
import { SOURCE_SCHEMAS } from './source/source-schemas.ts';
import { KUBECTL_SCHEMAS } from './kubectl/kubectl-routes.ts';
import { PERMISSION_SCHEMAS } from './permission/permission-routes.ts';
import { PROPOSAL_SCHEMAS } from './proposal/proposal-routes.ts';
import { UPGRADE_SCHEMAS } from './upgrade/upgrade-routes.ts';
import { anything, flag, integer, list, manifestOf, object, text, time } from './schema-parts.ts';

const objectName = { type: 'string', maxLength: 253 } as const;
const objectMeta = {
  type: 'object',
  description:
    'Labels and annotations; of a patch, `null` takes one away. Those of Chandlery, of Kubernetes and of tools that own objects are rejected',
  properties: {
    labels: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    annotations: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    finalizers: { type: 'array', items: { type: 'string' }, description: 'Added to those that are there' },
  },
  additionalProperties: false,
} as const;

const health = object({ status: { enum: HEALTH_STATUSES }, message: text });
const fault = object({ message: text, field: text, file: text, line: integer, column: integer }, ['message']);
const permission = object({ verb: text, group: text, resource: text, namespace: text, name: text }, ['verb', 'group', 'resource']);
const revision = object(
  {
    revision: integer,
    chart: text,
    version: text,
    appVersion: text,
    digest: text,
    chartDigest: text,
    time,
    status: { enum: REVISION_STATUSES },
    tested: flag,
    healthy: flag,
    rolledBackTo: integer,
  },
  ['revision', 'chart', 'version', 'digest', 'time', 'status'],
);
const condition = object(
  {
    type: text,
    status: { enum: ['True', 'False', 'Unknown'] },
    reason: text,
    message: text,
    lastTransitionTime: time,
    observedGeneration: integer,
  },
  ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
);
const blocker = object({ kind: text, namespace: text, name: text, finalizers: list(text), heldBy: list(text), since: time }, [
  'kind',
  'name',
]);
const step = object({ description: text, state: { enum: ['Completed', 'InProgress', 'Pending'] } });
const deletion = {
  policy: { enum: ['Block', 'Cascade', 'Orphan'] },
  instances: { ...integer, description: 'Those of kinds in `unavailable` are not among them' },
  blockers: list(blocker),
  steps: list(step),
  unavailable: { ...list({ $ref: '#/components/schemas/UnavailableKind' }), description: 'Kinds whose instances cannot be counted now' },
};
const deletionRequired = ['policy', 'instances', 'blockers', 'steps'];
const appSummary = {
  id: { type: 'string', description: 'The name of its CustomResourceDefinition', examples: ['caches.samples.chandlery.dev'] },
  kind: text,
  group: text,
  version: { type: 'string', description: 'The served version that new instances use' },
  plural: text,
  displayName: text,
  summary: text,
  category: text,
  provider: text,
  tags: list(text),
  icon: text,
  docsURL: text,
  chartVersion: text,
  appVersion: text,
  availability: { enum: ['Available', 'Installing', 'Unavailable'] },
  availabilityMessage: text,
  operator: { ...object({ namespace: text, name: text }), description: 'The Operator that brings the kind' },
  definition: { type: 'string', description: 'The AppDefinition that generates the kind' },
  publishedBy: { type: 'string', description: 'The AppDefinition that publishes the kind, which somebody else installed' },
  limits: {
    ...object({ maxInstances: integer, perEnvironment: integer, instances: integer }, ['instances']),
    description: 'How many instances there may be, and how many there are in the cluster',
  },
};
const appRequired = ['id', 'kind', 'group', 'version', 'plural', 'displayName', 'availability'];
const newSecret = {
  ...object(
    {
      name: objectName,
      key: objectName,
      value: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_SECRET_LENGTH,
        writeOnly: true,
        description: 'By default Chandlery generates one, which is never shown',
      },
    },
    ['name', 'key'],
  ),
  additionalProperties: false,
  description: 'A Secret that Chandlery creates before the instance, which owns it',
};
const instanceSummary = { environment: text, app: text, appName: text, kind: text, name: text, created: time, health, deleting: flag };
const instanceExpiry = {
  ...object({ phase: { enum: ['ExpiresSoon', 'Expired'] }, expiresAt: time, deletesAt: time, extension: time }, [
    'phase',
    'expiresAt',
    'deletesAt',
  ]),
  description:
    'When the instance expires soon, or has expired. `extension` is a later `spec.expires`; absent where its AppDefinition allows none',
};

/** The schemas of `components.schemas` in the OpenAPI document, by name. */
export const SCHEMAS = {
  Me: object(
    {
      user: text,
      groups: list(text),
      admin: flag,
      token: {
        ...object({ id: text, name: text, scope: { enum: TOKEN_SCOPES }, environments: list(text) }, ['id', 'name', 'scope']),
        description: 'The personal access token that the request came with; absent for other credentials',
      },
    },
    ['user', 'groups', 'admin'],
  ),
  AppSummary: object(appSummary, appRequired),
  App: object(
    {
      ...appSummary,
      readme: { type: 'string', description: 'The README of the chart: Markdown, not sanitised' },
      versions: list(object({ name: text, served: flag, storage: flag, deprecated: flag })),
      relatedApps: list({ $ref: '#/components/schemas/AppSummary' }),
      schema: { ...anything, description: 'The OpenAPI v3 schema of the kind, `spec` and `status` included' },
      fields: list(text),
      suggestedFields: { ...list(text), description: 'The first fields of the form when neither `fields` nor the example picks any' },
      example: anything,
      usage: text,
      defaults: anything,
      locked: { ...list(text), description: 'Fields that the catalogue sets for everybody' },
      sensitive: {
        ...list(text),
        description: 'Fields that the catalogue declares sensitive, in addition to those whose schema or name does',
      },
      references: {
        ...list(object({ path: text, group: text, kind: text, plural: text })),
        description: 'References that the catalogue declares: the kind that a field names',
      },
      otherKinds: {
        ...list(object({ group: text, kind: text, plural: text })),
        description: 'The kinds of other apps, which fields can reference',
      },
      presets: {
        ...list(object({ name: text, title: text, summary: text, values: anything })),
        description: 'Initial values of a form, in the layout of the resource',
      },
    },
    [...appRequired, 'readme', 'versions', 'schema', 'locked', 'presets'],
  ),
  Environment: object(
    {
      name: text,
      displayName: text,
      namespace: text,
      tier: text,
      groups: list(object({ name: text, role: { enum: ENVIRONMENT_ROLES } })),
      subjects: list(
        object({ kind: { enum: ['User', 'Group', 'ServiceAccount'] }, name: text, namespace: text, role: { enum: ENVIRONMENT_ROLES } }, [
          'kind',
          'name',
          'role',
        ]),
      ),
      overlay: {
        ...list(object({ app: text, values: anything, locked: list(text) })),
        description: 'Values and locks over those of the catalogue, for each app',
      },
      allowedApps: { ...object({ allow: list(text), deny: list(text) }), description: 'The apps that can be installed; absent: all' },
      networkPolicy: { ...anything, description: 'The isolation of its pods, as `spec.networkPolicy` has it; absent: none' },
      facts: {
        ...list(object({ label: text, value: text, format: { enum: ['text', 'time'] } })),
        description: 'Owner, CI projects, network policy and the like, as the pages show them',
      },
      ready: flag,
      message: text,
      conditions: list(condition),
      object: {
        ...anything,
        description:
          'The resource, with `<masked: path>` for each sensitive value of its overlay; absent in lists. In a request, this text keeps the live value',
      },
      etag: { type: 'string', description: 'As in the header `ETag`, quotes included, for `If-Match`; absent in lists' },
    },
    ['name', 'displayName', 'namespace', 'tier', 'groups', 'subjects', 'overlay', 'facts', 'ready', 'message', 'conditions'],
  ),
  Choices: object(
    {
      resource: { type: 'string', description: 'Plural and group', examples: ['secrets', 'storageclasses.storage.k8s.io'] },
      items: list(object({ name: text, keys: { ...list(text), description: 'Keys of a Secret or ConfigMap, from its managed fields' } })),
      truncated: { type: 'boolean', description: 'Whether there are more items than returned; narrow the search' },
      served: { type: 'boolean', description: 'Whether the cluster serves this resource' },
      missing: { ...permission, description: 'The missing permission to list the resource' },
      unavailable: { type: 'string', description: 'Why the resource cannot be listed now' },
    },
    ['resource', 'items', 'truncated', 'served'],
  ),
  InstanceSummary: object({ ...instanceSummary, expiry: instanceExpiry }, Object.keys(instanceSummary)),
  Instance: object(
    {
      ...instanceSummary,
      expiry: instanceExpiry,
      object: {
        ...anything,
        description: 'The object, with `<masked: path>` for each sensitive value. In a request, this text keeps the live value',
      },
      masked: { ...list(text), description: 'The paths of the masked values' },
      conditions: list(condition),
      createdBy: { ...text, description: 'The user who created it through pages or API, as its annotation says' },
      generation: integer,
      observedGeneration: integer,
      etag: { type: 'string', description: 'As in the header `ETag`, quotes included, for `If-Match`' },
    },
    [...Object.keys(instanceSummary), 'object', 'masked', 'conditions', 'generation', 'etag'],
  ),
  RevealedValueRequest: { ...object({ path: { ...text, maxLength: 2000 } }, ['path']), additionalProperties: false },
  RevealedValue: object({ path: text, value: { type: ['string', 'number', 'boolean'] } }, ['path', 'value']),
  InstanceDraft: {
    ...object({ app: objectName, name: objectName, spec: anything, metadata: objectMeta, secrets: { ...list(newSecret), maxItems: 10 } }, [
      'app',
      'name',
    ]),
    additionalProperties: true,
    description: 'Other top-level fields of the kind, such as `data`, are allowed here, too',
  },
  InstancePatch: {
    ...object({ spec: anything, metadata: objectMeta }, []),
    additionalProperties: true,
    description: 'A patch of the `spec`, of labels and annotations, and of other top-level fields of the kind',
  },
  Operator: object(
    {
      namespace: text,
      name: text,
      displayName: text,
      status: { enum: LEGACY_STATUSES },
      message: text,
      chart: object({ address: text, name: text, version: text, appVersion: text, digest: text, availableVersion: text }, ['address']),
      values: list(object({ path: text, origin: text }, ['path', 'origin'])),
      release: object({ name: text, namespace: text, revision: integer, status: text }),
      crds: list(object({ name: text, kind: text, origin: text, established: flag, instances: integer }, ['name', 'kind'])),
      pendingUpgrade: object({ version: text, chartDigest: text, reason: { enum: PENDING_REASONS }, opensAt: time }, ['version', 'reason']),
      history: list(revision),
      deletion: { $ref: '#/components/schemas/DeletionPreview' },
      conditions: list(condition),
      category: text,
      source: { type: 'string', description: 'The CatalogSource that manages it' },
      deletionPolicy: { enum: ['Block', 'Cascade', 'Orphan'] },
      suspended: flag,
      created: time,
      createdBy: { ...text, description: 'The user who created it through pages or API, as its annotation says' },
      etag: { type: 'string', description: 'As in the header `ETag`, quotes included, for `If-Match`' },
    },
    ['namespace', 'name', 'status', 'message', 'chart', 'crds', 'conditions', 'etag'],
  ),
  OperatorManifest: manifestOf(OPERATOR, {
    name: objectName,
    namespace: { type: 'string', maxLength: 63, description: 'Default: chandlery-system' },
  }),
  ReleaseNotes: object({
    notes: { ...text, description: 'Plain text with secret values masked; empty when there is none or a permission is missing' },
    revision: { ...integer, description: '0: nothing is installed' },
    missing: list({ $ref: '#/components/schemas/MissingPermission' }),
    helm: { ...text, description: 'A command that prints the notes' },
  }),
  OperatorTree: {
    allOf: [
      { $ref: '#/components/schemas/ResourceTree' },
      object({ namespace: { type: 'string', description: 'The namespace of the release' }, missing: permission }, ['namespace']),
    ],
  },
  OperatorInstance: object(
    { app: text, kind: text, namespace: text, environment: text, name: text, created: time, deletingSince: time, finalizers: list(text) },
    ['app', 'kind', 'name', 'created', 'finalizers'],
  ),
  OperatorProblem: object({
    kind: { enum: ['Condition', 'Workload', 'Fault', 'Deletion'] },
    subject: text,
    message: text,
    causes: list(text),
  }),
  DeletionPreview: object(deletion, deletionRequired),
  DeletionBlocker: blocker,
  DeletionStep: step,
  OperatorDeletion: {
    ...object({ ...deletion, state: { enum: ['Preview', 'Deleting'] }, missing: list(permission) }, [
      ...deletionRequired,
      'state',
      'missing',
    ]),
    description: 'The `deletion` of an Operator, also before it is deleted',
  },
  Health: health,
  Condition: condition,
  Revision: revision,
  MissingPermission: permission,
  FieldFault: fault,
  Fault: object({ source: text, file: text, line: integer, column: integer, resource: text, field: text, message: text }, [
    'source',
    'file',
    'line',
    'message',
  ]),
  ...CONNECTION_SCHEMAS,
  ...ENVIRONMENT_RESOURCE_SCHEMAS,
  ...ENVIRONMENT_WRITE_SCHEMAS,
  ...METRICS_SCHEMAS,
  ...BOARD_SCHEMAS,
  ...DEPLOYMENT_SCHEMAS,
  ...TIMELINE_SCHEMAS,
  ...FORM_SCHEMAS,
  ...DESCRIPTION_SCHEMAS,
  ...DRAFT_SCHEMAS,
  ...PREFLIGHT_SCHEMAS,
  ...UPGRADE_SCHEMAS,
  ...MIGRATION_SCHEMAS,
  ...APP_DEFINITION_SCHEMAS,
  ...RESOURCE_SCHEMAS,
  ...TREE_SCHEMAS,
  ...WORKLOAD_SCHEMAS,
  ...CHANGE_REQUEST_SCHEMAS,
  ...PERMISSION_SCHEMAS,
  ...ACCESS_TOKEN_SCHEMAS,
  ...REGISTRATION_TOKEN_SCHEMAS,
  ...KUBECTL_SCHEMAS,
  ...PROPOSAL_SCHEMAS,
  ...SAVED_CONFIGURATION_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...SOURCE_SCHEMAS,
  ...RELEASE_SCHEMAS,
  Problem: {
    ...object(
      {
        type: text,
        title: text,
        status: integer,
        detail: text,
        instance: text,
        code: { enum: Object.keys(ERROR_TABLE) },
        errors: list(object({ detail: text, pointer: text, field: text, file: text, line: integer, column: integer }, ['detail'])),
        missing: permission,
        requestId: text,
      },
      ['type', 'title', 'status', 'code'],
    ),
    description: 'RFC 9457; `code` is a row of the error catalogue',
  },
} as const satisfies Record<string, JsonSchema>;
