import { WORKLOAD_SCHEMAS } from '../instance/instance-schemas.ts';
import { objectAt } from '../../domain/core/read.ts';
import { BOARD_TRACKS } from '../../domain/environment/deploy-board.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { EMPTINESS_REASONS } from '../../domain/tree/emptiness.ts';
import { MANAGERS } from '../../domain/tree/resource-manager.ts';
import { flag, integer, list, object, ref, text } from '../schema-parts.ts';
import { ROLLOUT_STATES } from '../../domain/workload/rollout.ts';

const healthCounts = object(Object.fromEntries(RESOURCE_HEALTHS.map((word) => [word, integer])), []);

/** What the API says of the resources of an environment. */
export const ENVIRONMENT_RESOURCE_SCHEMAS = {
  Emptiness: object({ reason: { enum: EMPTINESS_REASONS }, message: text, missing: ref('MissingPermission') }, ['reason', 'message']),
  EnvironmentResource: object(
    {
      uid: text,
      resource: { ...text, description: 'Plural and group', examples: ['deployments.apps'] },
      apiVersion: text,
      kind: text,
      name: text,
      namespace: { ...text, description: 'Absent for cluster-scoped ones' },
      created: text,
      deleting: { type: 'boolean' },
      health: {
        ...object({ status: { enum: HEALTH_STATUSES }, message: text }),
        description: 'Absent when the kind has no rule and the resource no conditions',
      },
      cause: { ...text, description: 'One sentence that names why it, or what it owns, is not well; absent where its health says all' },
      info: text,
      owner: { ...object({ apiVersion: text, kind: text, name: text }), description: 'What stands at the top of its owner references' },
      instance: { ...object({ app: text, name: text }), description: 'The instance that it is, or that stands at the top of its owners' },
      managedBy: {
        ...object({ tool: { enum: MANAGERS }, name: text, namespace: text }, ['tool', 'name']),
        description: 'By the labels and annotations of Flux, Argo CD, Helm, GitLab and Chandlery; else the first field manager',
      },
      release: { ...text, description: 'The Helm release, `namespace/name`' },
      inventories: {
        ...list(text),
        description: 'Ids of the inventories, ApplySets, Kustomizations, Argo CD Applications and CatalogSources',
      },
    },
    ['uid', 'resource', 'apiVersion', 'kind', 'name', 'created', 'deleting', 'info', 'inventories'],
  ),
  EnvironmentStatus: object(
    {
      environment: ref('Environment'),
      health: {
        ...ref('Health'),
        description:
          'The worst health of all resources that nobody suspended, or of these where there are no others; absent when none reports one',
      },
      total: { ...integer, description: 'Resources in the namespace that you may list' },
      counts: { ...healthCounts, description: 'Resources by health' },
      causes: list(
        object(
          {
            resource: text,
            kind: text,
            name: text,
            status: { enum: HEALTH_STATUSES },
            message: text,
            instance: object({ app: text, name: text }),
          },
          ['resource', 'kind', 'name', 'status', 'message'],
        ),
      ),
      moreCauses: { ...integer, description: 'Causes beyond those listed' },
      instances: list(
        object({
          environment: text,
          app: text,
          appName: text,
          kind: text,
          name: text,
          created: text,
          health: { ...ref('Health'), description: 'The worst of the instance and of everything that it owns' },
          deleting: { type: 'boolean' },
          version: { ...text, description: 'What the instance reports; else empty' },
        }),
      ),
      noInstances: { ...ref('Emptiness'), description: 'Why there are no instances; absent when there are some' },
      workloads: object({ total: integer, pods: integer, readyPods: integer, canaries: integer, health: healthCounts }),
      quotas: list(
        object(
          {
            quota: text,
            resource: text,
            hard: text,
            used: { ...text, description: 'Absent until the cluster has counted' },
            share: { type: 'number', description: 'Used of hard: 1 is all of it' },
            scopes: list(text),
          },
          ['quota', 'resource', 'hard', 'scopes'],
        ),
      ),
      limits: list(
        object(
          {
            limitRange: text,
            type: text,
            resource: text,
            default: text,
            defaultRequest: text,
            min: text,
            max: text,
            maxLimitRequestRatio: text,
          },
          ['limitRange', 'type', 'resource'],
        ),
      ),
      warnings: { ...list(ref('Event')), description: 'Of the last hour, unresolved ones first' },
      faults: { ...list(ref('Fault')), description: 'Of the Environment and of the Operators of its instances, for admins' },
      missing: { ...list(ref('MissingPermission')), description: 'What you may not list; no count includes it' },
      unavailable: list(ref('UnavailableKind')),
    },
    [
      'environment',
      'total',
      'counts',
      'causes',
      'moreCauses',
      'instances',
      'workloads',
      'quotas',
      'limits',
      'warnings',
      'faults',
      'missing',
      'unavailable',
    ],
  ),
  ResourceCount: object({
    resource: text,
    kind: text,
    count: integer,
    health: healthCounts,
  }),
} as const;

const { Workload } = WORKLOAD_SCHEMAS;
const required = Workload['required'] as readonly string[];

/** What the API says of boards. */
export const BOARD_SCHEMAS = {
  BoardWorkload: object(
    {
      ...objectAt(Workload, 'properties'),
      resource: { ...text, description: 'Plural and group', examples: ['deployments.apps'] },
      deleting: flag,
      cause: { ...text, description: 'One sentence that names why it is not well' },
      owner: { ...object({ apiVersion: text, kind: text, name: text }), description: 'What stands at the top of its owner references' },
      instance: { ...object({ app: text, name: text }), description: 'The instance at the top of its owners' },
      managedBy: object({ tool: { enum: MANAGERS }, name: text, namespace: text }, ['tool', 'name']),
    },
    [...required, 'resource', 'deleting'],
  ),
  TierColumn: object(
    {
      name: text,
      displayName: text,
      namespace: text,
      tier: text,
      ready: flag,
      message: text,
      instances: integer,
      workloads: { ...integer, description: 'Workloads that belong to no instance' },
      health: {
        ...ref('Health'),
        description: 'The worst of its apps that nobody suspended, or of these where there are no others; absent when none reports one',
      },
      missing: { ...list(ref('MissingPermission')), description: 'What you may not list there; such apps are not on the board' },
      unavailable: list(ref('UnavailableKind')),
    },
    ['name', 'displayName', 'namespace', 'tier', 'ready', 'message', 'instances', 'workloads', 'missing', 'unavailable'],
  ),
  TierRow: object({
    key: text,
    app: { ...text, description: 'The id of the App of an instance; empty for workloads' },
    appName: text,
    name: { ...text, description: 'The name of the instance, or of the app that labels of workloads name' },
    cells: list(ref('TierCell')),
  }),
  TierCell: object(
    {
      environment: text,
      app: text,
      appName: text,
      name: text,
      version: text,
      canaryVersion: { ...text, description: 'Empty when there is no canary' },
      health: ref('Health'),
      rollout: {
        ...object({ state: { enum: ROLLOUT_STATES }, percentage: integer }),
        description: 'Of the least advanced workload; absent without workloads',
      },
      drift: {
        ...object({ from: text, fields: list(text) }),
        description: 'The environment of the tier before, and what differs from it; absent when no earlier tier has the app',
      },
      lock: {
        ...object({ kind: { enum: ['Deleting', 'ChangeRequest', 'Suspended'] }, changeRequest: text }, ['kind']),
        description: 'Why a change should wait',
      },
      workloads: list(object({ kind: text, resource: text, name: text, version: text, track: { enum: BOARD_TRACKS } })),
    },
    ['environment', 'app', 'appName', 'name', 'version', 'canaryVersion', 'workloads'],
  ),
} as const;
