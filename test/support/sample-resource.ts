import { AppError } from '../../src/domain/core/errors.ts';
import { describeResources } from '../../src/domain/environment/environment-resources.ts';
import { conditionsOf } from '../../src/domain/kubernetes/condition.ts';
import type { KubeObject, ServedKind } from '../../src/domain/kubernetes/resource.ts';
import { fieldManagersOf } from '../../src/domain/resource/managed-fields.ts';
import { actionCommand, actionsFor, effectsOf, permissionFor } from '../../src/domain/resource/resource-actions.ts';
import { containersOf, factsOf } from '../../src/domain/resource/resource-facts.ts';
import { kindKey } from '../../src/domain/tree/object-index.ts';
import { relatedResourcesOf } from '../../src/domain/tree/related-resources.ts';
import { POD_SPECS } from '../../src/domain/tree/relations.ts';
import type { Operations } from '../../src/operation/operations.ts';
import type { ActionResult } from '../../src/operation/resource/act-on-resource.ts';
import type { ResourceAddress } from '../../src/operation/resource/find-resource.ts';
import type { ResourceView } from '../../src/operation/resource/show-resource.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const NAMESPACE = 'team-a';
const CREATED = '2026-11-18T09:30:00Z';
const LABELS = { app: 'shop' };

const served = (kind: string, resource: string, group: string, subresources: readonly string[]): ServedKind => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  verbs: ['get', 'list'],
  shortNames: [],
  subresources,
});
const KINDS = [
  served('Deployment', 'deployments', 'apps', ['scale', 'status']),
  served('ReplicaSet', 'replicasets', 'apps', ['status']),
  served('CronJob', 'cronjobs', 'batch', ['status']),
  served('Pod', 'pods', '', ['eviction', 'log']),
  served('Service', 'services', '', []),
  served('Secret', 'secrets', '', []),
];

const POD_SPEC = {
  containers: [
    {
      name: 'shop',
      image: 'registry.example.com/shop:2.4',
      ports: [{ containerPort: 8080 }],
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
      readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
      env: [{ name: 'DB_PASSWORD', value: '<masked: spec.template.spec.containers[0].env[0].value>' }],
    },
  ],
};
const owner = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, uid: `${kind}/${name}`, controller: true });

const OBJECTS: readonly KubeObject[] = [
  object('apps/v1', 'Deployment', 'shop', {
    spec: { replicas: 2, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: POD_SPEC } },
    status: {
      readyReplicas: 0,
      updatedReplicas: 2,
      conditions: [
        {
          type: 'Progressing',
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: 'ReplicaSet "shop-7c9f" has timed out progressing.',
          lastTransitionTime: CREATED,
        },
      ],
    },
  }),
  object('apps/v1', 'ReplicaSet', 'shop-7c9f', {
    metadata: { ownerReferences: [owner('apps/v1', 'Deployment', 'shop')] },
    spec: { replicas: 2, template: { spec: POD_SPEC } },
  }),
  object('v1', 'Pod', 'shop-7c9f-x2x', {
    metadata: { ownerReferences: [owner('apps/v1', 'ReplicaSet', 'shop-7c9f')], labels: LABELS },
    spec: { ...POD_SPEC, nodeName: 'node-1' },
    status: {
      phase: 'Pending',
      podIP: '10.1.0.12',
      containerStatuses: [{ name: 'shop', ready: false, restartCount: 3, state: { waiting: { reason: 'ImagePullBackOff' } } }],
    },
  }),
  object('v1', 'Service', 'shop', { spec: { selector: LABELS, ports: [{ port: 80, targetPort: 8080 }] } }),
  object('batch/v1', 'CronJob', 'backup', {
    spec: { schedule: '30 2 * * *', timeZone: 'Europe/Berlin', jobTemplate: { spec: { template: { spec: POD_SPEC } } } },
    status: { lastScheduleTime: '2026-11-21T01:30:00Z' },
  }),
];

function object(
  apiVersion: string,
  kind: string,
  name: string,
  { metadata = {}, ...rest }: { readonly metadata?: object; readonly [key: string]: unknown },
): KubeObject {
  const managedFields = [
    { manager: 'helm', operation: 'Update', apiVersion, time: CREATED, fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': {} } } },
  ];
  const own = { name, namespace: NAMESPACE, uid: `${kind}/${name}`, generation: 1, creationTimestamp: CREATED, managedFields };
  return { apiVersion, kind, metadata: { ...own, ...metadata }, ...rest };
}

/** A resource of `team-a` with everything that its page can show. Pods cannot be evicted by the person who looks. */
export function sampleResource({ environment: name, resource, name: called }: ResourceAddress) {
  const environment = SAMPLE_ENVIRONMENTS.find((one) => one.name === name && name === NAMESPACE);
  const kind = KINDS.find((one) => (one.group === '' ? one.resource : `${one.resource}.${one.group}`) === resource);
  const found = OBJECTS.find((one) => one.kind === kind?.kind && one.metadata.name === called);
  if (environment === undefined || kind === undefined || found === undefined) {
    throw new AppError('NotFound', `resource ${JSON.stringify(called)}: there is none`);
  }
  return { environment, resource: viewOf(kind, found, resource) };
}

function viewOf(kind: ServedKind, found: KubeObject, resource: string): ResourceView {
  const { related } = relatedResourcesOf(
    found,
    OBJECTS.filter((one) => one !== found),
  );
  const [row] = describeResources([found], { kinds: KINDS, shown: new Set() });
  if (row === undefined) throw new Error('it is there');
  const { managedFields: _fields, ...metadata } = found.metadata;
  return {
    ...row,
    resource,
    namespace: NAMESPACE,
    facts: factsOf(found),
    containers: containersOf(found, POD_SPECS[kindKey(found)]),
    conditions: conditionsOf(found),
    events: [
      {
        type: 'Warning',
        reason: 'FailedPull',
        message: 'registry.example.com/shop:2.4: not found',
        kind: 'Pod',
        name: 'shop-7c9f-x2x',
        count: 12,
        firstSeen: CREATED,
        lastSeen: '2026-11-21T11:58:00Z',
        resolved: false,
      },
    ],
    related: related.map((one) => ({ ...one, resource: KINDS.find((known) => known.kind === one.kind)?.resource ?? '' })),
    object: { ...found, metadata: { ...metadata, name: found.metadata.name } },
    masked: ['spec.template.spec.containers[0].env[0].value'],
    managers: fieldManagersOf(found),
    actions: actionsFor(kind, found).map((action) => {
      const { subresource = '', ...rest } = permissionFor(action, kind, found);
      const allowed = action !== 'evict';
      return {
        action,
        allowed,
        ...(allowed ? {} : { missing: { ...rest, resource: `${rest.resource}/${subresource}` } }),
        effects: effectsOf({ action, kind, object: found, related }),
        kubectl: actionCommand({ action, kind, object: found, replicas: 2 }),
      };
    }),
    ...(found.kind === 'Deployment' ? { replicas: 2 } : {}),
    hasLogs: true,
    missing: [{ verb: 'list', group: '', resource: 'secrets', namespace: NAMESPACE }],
    unavailable: [],
    etag: '"sample.1"',
    specVersion: 'sample.1',
  };
}

async function done(_actor: unknown, { resource, name }: ResourceAddress): Promise<ActionResult> {
  return { resource, name, message: 'Done.', warnings: [] };
}

/** What can be done with them, none of which does anything. */
export const SAMPLE_RESOURCE_OPERATIONS = {
  showResource: async (_actor, address) => sampleResource(address),
  showResourceLogs: async () => ({ namespace: NAMESPACE, pods: [], lines: [], notices: [], more: 0 }),
  restartWorkload: done,
  showScale: async () => ({ replicas: 2, etag: '"sample.1"' }),
  scaleResource: done,
  runCronJob: async (actor, input) => await done(actor, { ...input, resource: 'jobs.batch', name: 'backup-manual-1' }),
  suspendCronJob: done,
  evictPod: done,
} satisfies Partial<Operations>;
