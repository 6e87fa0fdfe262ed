import { AppError } from '../../src/domain/core/errors.ts';
import {
  countResources,
  type EnvironmentResource,
  filterResources,
  type ResourceFilter,
} from '../../src/domain/environment/environment-resources.ts';
import type { EnvironmentResources } from '../../src/operation/environment/list-environment-resources.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const CREATED = '2026-11-18T09:30:00Z';
const APP = 'postgresclusters.samples.chandlery.dev';
const orders = {
  owner: { apiVersion: 'samples.chandlery.dev/v1', kind: 'PostgresCluster', name: 'orders' },
  instance: { app: APP, name: 'orders' },
};
const fine = { health: { status: 'Healthy', message: '' } } as const;

type Rest = Partial<Omit<EnvironmentResource, 'resource' | 'kind' | 'name'>>;

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
  }),
  one('ingresses.networking.k8s.io', 'Ingress', 'a-very-long-name-of-an-ingress-that-nobody-would-ever-type', {
    managedBy: { tool: 'ArgoCD', name: 'storefront', namespace: 'argocd' },
  }),
  one('configmaps', 'ConfigMap', 'settings', { managedBy: { tool: 'Flux', name: 'team-a', namespace: 'flux-system' } }),
  one('secrets', 'Secret', 'orders-owner', { ...orders, deleting: true }),
];

/** The resources of an environment: those of an instance, of CI, and of the usual tools. */
export function sampleResources(name: string, filter: ResourceFilter): EnvironmentResources {
  const environment = SAMPLE_ENVIRONMENTS.find((known) => known.name === name);
  if (environment === undefined) throw new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none`);
  const all = name === 'team-a' ? RESOURCES : [];
  return {
    environment,
    resources: filterResources(all, filter),
    all,
    counts: countResources(all),
    missing: [{ verb: 'list', group: '', resource: 'secrets', namespace: environment.namespace }],
    unavailable: [],
  };
}

function one(resource: string, kind: string, name: string, rest: Rest): EnvironmentResource {
  const apiVersion = resource.includes('.') ? `${resource.slice(resource.indexOf('.') + 1)}/v1` : 'v1';
  return { resource, apiVersion, kind, name, created: CREATED, deleting: false, info: '', ...rest };
}
