import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { FINDING_SUBJECTS, PREFLIGHT_VERDICTS } from '../../domain/preflight/findings.ts';
import { REVISION_STATUSES } from '../../domain/operator/kind/status-fields.ts';
import { RELATION_CLASSES } from '../../domain/tree/relations.ts';
import { MIGRATION_CHANGES } from '../../domain/upgrade/preview/value-rows.ts';
import { VALUE_LAYERS } from '../../domain/values/value-change.ts';
import { OBJECT_CHANGE } from '../upgrade/upgrade-routes.ts';
import { anything, flag, integer, list, object, text, time } from '../schema-parts.ts';
import { ROLLOUT_STATES } from '../../domain/workload/rollout.ts';

const health = object({ status: { enum: HEALTH_STATUSES }, message: text });
const relation = {
  class: { enum: RELATION_CLASSES },
  path: { type: 'string', description: 'The field that names the other resource, such as `spec.volumes[0].configMap.name`' },
  inferred: { type: 'boolean', description: 'Whether the edge is inferred from something else than an owner reference' },
} as const;

/** The members that are always there. */
const TREE_MEMBERS = ['root', 'count', 'health', 'causes', 'addresses', 'unreadable', 'unavailable'];

/** What the API says of what runs: resource trees, logs, events. */
export const TREE_SCHEMAS = {
  TreeNode: object(
    {
      uid: text,
      resource: { ...text, description: 'Plural and group, such as `deployments.apps`' },
      apiVersion: text,
      kind: text,
      name: text,
      namespace: text,
      edge: { $ref: '#/components/schemas/TreeEdge' },
      health,
      info: text,
      created: time,
      links: { ...list({ $ref: '#/components/schemas/TreeLink' }), description: 'Further relations, at most 50' },
      children: list({ $ref: '#/components/schemas/TreeNode' }),
    },
    ['uid', 'apiVersion', 'kind', 'name', 'links', 'children'],
  ),
  TreeEdge: {
    ...object({ ...relation, fieldOf: { enum: ['Parent', 'Resource'], description: 'Which of the two has the field' } }),
    description: 'The relation to the parent; absent for the root',
  },
  TreeLink: object(
    { ...relation, group: text, kind: text, namespace: text, name: text, state: { enum: ['Found', 'Missing', 'NotRead'] } },
    ['class', 'path', 'inferred', 'group', 'kind', 'name', 'state'],
  ),
  Cause: {
    ...object(
      {
        message: { ...text, description: 'One sentence that names the cause' },
        since: time,
        chain: {
          ...list(
            object({ apiVersion: text, kind: text, name: text, message: text, since: time }, ['apiVersion', 'kind', 'name', 'message']),
          ),
          description: 'From the cause to what it holds back, the instance last',
        },
        container: {
          ...object({ pod: text, name: text, previous: flag }),
          description: 'The container that crashed; `previous`: its last run is over, and another one has begun',
        },
        log: { ...object({ time, text }), description: 'The last line that this container has written, if you may read it' },
      },
      ['message', 'chain'],
    ),
    description: 'Why the tree is not well, or what to look at although it is; absent where nothing is known to be wrong',
  },
  ResourceTree: object(
    {
      root: { $ref: '#/components/schemas/TreeNode' },
      count: { ...integer, description: 'Of the whole tree, whatever the filter' },
      matched: { ...integer, description: 'Resources that match the filter; absent without one' },
      health,
      causes: list(object({ kind: text, name: text, message: text })),
      cause: { $ref: '#/components/schemas/Cause' },
      addresses: list(
        object(
          {
            kind: text,
            name: text,
            scope: { enum: ['External', 'Node', 'Cluster'], description: 'From where it is reached' },
            address: text,
            url: { ...text, description: 'Absent for what is no web address' },
            portForward: { ...text, description: 'A kubectl command that connects a port of your machine' },
          },
          ['kind', 'name', 'scope', 'address'],
        ),
      ),
      unreadable: { ...list(text), description: 'Kinds that the caller is not allowed to list in this namespace' },
      unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
      empty: { $ref: '#/components/schemas/Emptiness', description: 'Why there is nothing but the root' },
      release: {
        ...object({ namespace: text, name: text, missing: list({ $ref: '#/components/schemas/MissingPermission' }) }),
        description:
          'The Helm release whose objects are in the tree. `missing`: without these permissions it is not known what it has in other namespaces and cluster-wide',
      },
    },
    TREE_MEMBERS,
  ),
  UnavailableKind: {
    ...object({ kind: text, apiVersion: text, message: text }),
    description: 'A kind that cannot be listed now, because a webhook or API service that the api-server calls for it does not answer',
  },
  Logs: object({
    namespace: text,
    pods: list(object({ name: text, phase: text, containers: list(object({ name: text, isInit: flag, restarts: integer })) })),
    lines: list(object({ pod: text, container: text, time, text })),
    notices: list(object({ pod: text, container: text, message: { ...text, description: 'Why the log cannot be read now' } })),
    more: { ...integer, description: 'Pods that were not read; name one in `pod`' },
  }),
  Event: object({
    type: { enum: ['Normal', 'Warning'] },
    reason: text,
    message: text,
    kind: text,
    name: text,
    count: integer,
    firstSeen: time,
    lastSeen: time,
    resolved: { ...flag, description: 'A Warning about a resource that is healthy now' },
  }),
} as const;

const track = { enum: ['stable', 'canary'], description: 'By the labels `track` and `app.kubernetes.io/track`' } as const;
const images = list(object({ container: text, image: text, name: text, tag: text, digest: text }, ['container', 'image', 'name']));
const version = { ...text, description: 'The label `app.kubernetes.io/version`, else the tag of the first image' } as const;

/** What the API says of workloads. */
export const WORKLOAD_SCHEMAS = {
  Workload: object(
    {
      uid: text,
      apiVersion: text,
      kind: text,
      namespace: text,
      name: text,
      created: time,
      health,
      track,
      desired: { ...integer, description: 'Pods that should be ready; of Jobs, completions' },
      ready: integer,
      restarts: integer,
      images,
      version,
      rollout: object(
        {
          state: { enum: ROLLOUT_STATES },
          percentage: { ...integer, description: 'Of the desired pods, those that are ready in the current revision' },
          message: text,
          canaryWeight: { type: 'number', description: 'Per cent of the traffic that an Argo Rollout sends to its canary' },
        },
        ['state', 'percentage', 'message'],
      ),
      revisions: list(
        object(
          {
            name: { ...text, description: 'The hash in the labels of its pods, or the name of the Job' },
            number: integer,
            current: flag,
            track,
            images,
            version,
            created: time,
            desired: integer,
            completed: integer,
            pods: list(
              object(
                {
                  uid: text,
                  name: text,
                  status: { ...text, description: 'As in the column STATUS of `kubectl get pods`' },
                  ready: flag,
                  restarts: integer,
                  track,
                  node: text,
                  created: time,
                  health,
                },
                ['uid', 'name', 'status', 'ready', 'restarts', 'track', 'node', 'created'],
              ),
            ),
          },
          ['name', 'current', 'track', 'images', 'version', 'created', 'desired', 'pods'],
        ),
      ),
      change: object({
        manager: { ...text, description: 'The field manager of the last change' },
        time,
        cause: { ...text, description: 'The annotation `kubernetes.io/change-cause`' },
        gitlab: { type: 'object', additionalProperties: text, description: 'The annotations `app.gitlab.com/*`' },
        pipeline: { ...text, description: 'The https address of the pipeline, from an annotation that ends in `pipeline-url`; else empty' },
      }),
    },
    [
      'uid',
      'apiVersion',
      'kind',
      'name',
      'created',
      'track',
      'desired',
      'ready',
      'restarts',
      'images',
      'version',
      'rollout',
      'revisions',
      'change',
    ],
  ),
} as const;

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

const releaseRevision = {
  revision: { ...integer, description: 'The revision of the Helm release' },
  chart: text,
  version: { ...text, description: 'The version of the chart' },
  appVersion: text,
  time: { ...time, description: 'When Helm began it' },
  status: { enum: REVISION_STATUSES, description: 'How it ended' },
  tested: { type: 'boolean', description: 'Whether its tests passed; absent while they have not run' },
  healthy: { type: 'boolean', description: 'Whether it became healthy; absent while that is open' },
  rolledBackTo: { ...integer, description: 'The revision that it was rolled back to' },
};

const RELEASE_IMAGE = ['image', 'registry', 'repository', 'usedBy'];

/** Schemas of preflight checks. */
export const PREFLIGHT_SCHEMAS = {
  InstanceRevision: object({
    revision: { ...integer, description: 'Counted from 1, the first revision' },
    replaced: { ...time, description: 'When a change replaced it' },
    user: { ...text, description: 'Who made that change' },
    version: { ...text, description: 'The version of the kind' },
    content: { ...anything, description: 'The `spec` and the members beside it, with stand-ins for sensitive values' },
    changes: { ...list({ $ref: '#/components/schemas/ValueChange' }), description: 'What a rollback to it would change now' },
  }),
  DeletedInstance: object(
    {
      id: { ...text, description: 'The uid that the instance had' },
      environment: text,
      app: text,
      appName: text,
      name: text,
      version: { ...text, description: 'The version of the chart that ran' },
      deleted: time,
      deletedBy: { ...text, description: 'Who deleted it; absent where the audit log does not say so' },
      expires: { ...time, description: 'When the record ends' },
      claims: { ...list(text), description: 'PersistentVolumeClaims that stayed. A release of the same name uses them again' },
      valuesFrom: { ...list(text), description: 'Secrets and ConfigMaps that it took values from, as `Secret orders-password`' },
      sensitiveValues: { ...flag, description: 'Whether sensitive values, of which no copy is kept, have to be entered again' },
    },
    ['id', 'environment', 'app', 'appName', 'name', 'deleted', 'expires', 'claims', 'valuesFrom', 'sensitiveValues'],
  ),
  ReleaseRevision: object(releaseRevision, ['revision', 'chart', 'version', 'time', 'status']),
  ReleaseRevisionValues: object(
    {
      revision: { ...integer, description: 'The revision of the Helm release' },
      chart: text,
      version: { ...text, description: 'The version of the chart' },
      values: { ...anything, description: 'The values of the release, those of the chart aside; stand-ins for sensitive ones' },
      before: { ...integer, description: 'The revision that it is compared with; absent when Helm has kept none' },
      changes: { ...list({ $ref: '#/components/schemas/ValueChange' }), description: 'What differs from that revision' },
      missing: {
        ...list({ $ref: '#/components/schemas/MissingPermission' }),
        description: 'Without these permissions no values are shown',
      },
      helm: { ...text, description: 'The helm command that prints the values' },
    },
    ['revision', 'chart', 'version', 'values', 'changes', 'missing', 'helm'],
  ),
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
  InstanceSleep: object({
    asleep: { ...flag, description: 'Whether `spec.sleep` is set; the condition `Asleep` says how far it has come' },
  }),
  Remedy: object({ permission, role: text, yaml: text, kubectl: text }),
  Preflight: object(
    {
      verdict: { enum: PREFLIGHT_VERDICTS },
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
      objects: {
        ...object({ changes: list(OBJECT_CHANGE), unchanged: integer, omitted: integer }),
        description: 'Of an instance of a chart: the objects of the release that change, as the chart renders them',
      },
      images: {
        ...list(
          object(
            { image: text, registry: text, repository: text, tag: text, digest: text, usedBy: list(text), rewrittenFrom: list(text) },
            RELEASE_IMAGE,
          ),
        ),
        description:
          'Of an instance of a chart: the images that its pods run; rewrittenFrom: those of the chart, where Chandlery rewrites registries',
      },
      commands,
    },
    ['verdict', 'object', 'warnings', 'faults', 'missing', 'remedies', 'findings', 'changes', 'commands'],
  ),
} as const;
