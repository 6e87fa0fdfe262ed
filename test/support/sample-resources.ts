import { AppError } from '../../src/domain/core/errors.ts';
import {
  countResources,
  type EnvironmentResource,
  filterResources,
  type ResourceFilter,
} from '../../src/domain/environment/environment-resources.ts';
import { environmentHealth } from '../../src/domain/environment/environment-status.ts';
import type { EnvironmentStatus } from '../../src/operation/environment/show-environment-status.ts';
import { emptinessOf } from '../../src/domain/tree/emptiness.ts';
import type { EnvironmentResources, EnvironmentWorkloads } from '../../src/operation/environment/list-environment-resources.ts';
import { type BoardFilter, type BoardWorkload, filterBoard, summarizeWorkloads } from '../../src/domain/environment/deploy-board.ts';
import { sampleWorkloads } from './sample-workloads.ts';
import { SAMPLE_ENVIRONMENTS, sampleInstances } from './sample-instances.ts';

const CREATED = '2026-11-18T09:30:00Z';
const APP = 'postgresclusters.samples.chandlery.dev';
const orders = {
  owner: { apiVersion: 'samples.chandlery.dev/v1', kind: 'PostgresCluster', name: 'orders' },
  instance: { app: APP, name: 'orders' },
};
const fine = { health: { status: 'Healthy', message: '' } } as const;

type Rest = Partial<Omit<EnvironmentResource, 'uid' | 'resource' | 'kind' | 'name'>>;

const RESOURCES: readonly EnvironmentResource[] = [
  one(APP, 'PostgresCluster', 'orders', { ...fine, instance: orders.instance, managedBy: { tool: 'FieldManager', name: 'chandlery' } }),
  one('statefulsets.apps', 'StatefulSet', 'orders', {
    ...orders,
    ...fine,
    info: '3/3 ready',
    managedBy: { tool: 'FieldManager', name: 'chandlery' },
  }),
  ...[0, 1, 2].map((index) => one('pods', 'Pod', `orders-${index}`, { ...orders, ...fine, info: 'node-1' })),
  one('deployments.apps', 'Deployment', 'shop', {
    health: {
      status: 'Degraded',
      message: 'The rollout has not progressed for 10 minutes: the image registry.example.com/shop:2.4 cannot be pulled',
    },
    info: '0/2 ready',
    managedBy: { tool: 'GitLab', name: 'shop/frontend' },
  }),
  one('services', 'Service', 'shop', { ...fine, info: '10.0.0.12', managedBy: { tool: 'GitLab', name: 'shop/frontend' } }),
  one('deployments.apps', 'Deployment', 'mailer', {
    health: { status: 'Progressing', message: '1 of 2 pods is updated' },
    info: '2/2 ready',
    managedBy: { tool: 'Helm', name: 'mailer', namespace: 'team-a' },
    release: 'team-a/mailer',
    labels: { app: 'mailer' },
  }),
  one('ingresses.networking.k8s.io', 'Ingress', 'a-very-long-name-of-an-ingress-that-nobody-would-ever-type', {
    managedBy: { tool: 'ArgoCD', name: 'storefront', namespace: 'argocd' },
  }),
  one('configmaps', 'ConfigMap', 'settings', {
    managedBy: { tool: 'Flux', name: 'team-a', namespace: 'flux-system' },
    inventories: ['flux-system/team-a'],
  }),
  one('secrets', 'Secret', 'orders-owner', { ...orders, deleting: true }),
];

/** The resources of an environment: those of an instance, of CI, and of the usual tools. */
export function sampleResources(name: string, filter: ResourceFilter): EnvironmentResources {
  const environment = SAMPLE_ENVIRONMENTS.find((known) => known.name === name);
  if (environment === undefined) throw new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none`);
  const all = name === 'team-a' ? RESOURCES : [];
  const found = {
    environment,
    resources: filterResources(all, filter),
    all,
    counts: countResources(all),
    missing: name === 'team-a' ? [{ verb: 'list', group: '', resource: 'secrets', namespace: environment.namespace }] : [],
    unavailable: [],
  };
  const served = new Set(all.map(({ resource }) => resource));
  return found.resources.length > 0
    ? found
    : {
        ...found,
        empty: emptinessOf({ place: `the namespace ${environment.namespace}`, total: all.length, filter, served, missing: found.missing }),
      };
}

/** The deploy board: the workloads of two instances in `team-a`, and nothing elsewhere. */
export function sampleBoard(name: string, filter: BoardFilter): EnvironmentWorkloads {
  const { environment, unavailable } = sampleResources(name, {});
  const of = (instance: string): BoardWorkload[] =>
    sampleInstances(name)
      .filter((one) => one.name === instance)
      .flatMap((one) => sampleWorkloads(one))
      .map((workload) => ({
        ...workload,
        resource: workload.kind === 'StatefulSet' ? 'statefulsets.apps' : 'deployments.apps',
        deleting: false,
        ...(workload.kind === 'StatefulSet' ? { owner: { ...orders.owner, name: instance }, instance: { app: APP, name: instance } } : {}),
        managedBy: { tool: 'GitLab', name: 'shop/frontend' },
      }));
  const all = name === 'team-a' ? [...of('archive'), ...of('orders')] : [];
  const missing = name === 'team-a' ? [] : [{ verb: 'list', group: '', resource: 'pods', namespace: environment.namespace }];
  const workloads = filterBoard(all, filter);
  if (workloads.length > 0) return { environment, workloads, all, missing, unavailable };
  const place = `the namespace ${environment.namespace}`;
  const empty = emptinessOf({ subject: ['workload', 'workloads'], place, total: all.length, filter, served: new Set(), missing });
  return { environment, workloads, all, missing, unavailable, empty };
}

/** The status of an environment: in `team-a` with everything that a page can show, in the others with nothing. */
export function sampleStatus(name: string): EnvironmentStatus {
  const { environment, all, missing, unavailable } = sampleResources(name, {});
  const health = environmentHealth(environment, all);
  const workloads = summarizeWorkloads(sampleBoard(name, {}).all);
  const noInstances = { reason: 'NothingInstalled', message: 'There are no instances of apps in the namespace yet' } as const;
  const empty = { instances: [], noInstances, quotas: [], limits: [], warnings: [], faults: [] };
  return { environment, ...health, ...(all.length === 0 ? empty : FILLED), workloads, missing, unavailable };
}

const FILLED: Pick<EnvironmentStatus, 'instances' | 'quotas' | 'limits' | 'warnings' | 'faults'> = {
  instances: sampleInstances('team-a').map((instance) => ({ ...instance, version: instance.name === 'orders' ? '16.4' : '' })),
  quotas: [
    { quota: 'chandlery', resource: 'count/pods', hard: '50', used: '50', share: 1, scopes: [] },
    { quota: 'chandlery', resource: 'requests.memory', hard: '16Gi', used: '13.5Gi', share: 0.843, scopes: ['NotTerminating'] },
    { quota: 'chandlery', resource: 'requests.cpu', hard: '8', used: '250m', share: 0.031, scopes: [] },
    { quota: 'chandlery', resource: 'fast.storageclass.storage.k8s.io/requests.storage', hard: '1Ti', scopes: [] },
  ],
  limits: [
    { limitRange: 'chandlery', type: 'Container', resource: 'cpu', defaultRequest: '100m', default: '1', maxLimitRequestRatio: '10' },
    { limitRange: 'chandlery', type: 'Container', resource: 'memory', defaultRequest: '128Mi', default: '512Mi', max: '4Gi' },
  ],
  warnings: [
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
  faults: [
    {
      source: 'catalog',
      file: 'environments/team-a.yaml',
      line: 12,
      column: 5,
      resource: 'Environment team-a',
      message: 'spec.quota.requests.gpu: it is not a resource that a quota can count',
    },
  ],
};

function one(resource: string, kind: string, name: string, rest: Rest): EnvironmentResource {
  const apiVersion = resource.includes('.') ? `${resource.slice(resource.indexOf('.') + 1)}/v1` : 'v1';
  return {
    uid: `${kind}/${name}`,
    namespace: 'team-a',
    resource,
    apiVersion,
    kind,
    name,
    created: CREATED,
    deleting: false,
    info: '',
    inventories: [],
    labels: {},
    ...rest,
  };
}
