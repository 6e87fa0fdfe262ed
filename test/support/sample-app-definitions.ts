import { type AppDefinitionView, appDefinitionView, appRevisionViews } from '../../src/domain/app-definition/app-definition-view.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { MANUAL_PAGES } from './sample-manual.ts';
import { page, type SamplePage } from './sample-page.ts';

const DIGEST = '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';
const condition = (type: string, status: string, message: string): JsonObject => ({
  type,
  status,
  reason: status === 'True' ? 'Succeeded' : 'ChartNotFound',
  message,
  lastTransitionTime: '2026-01-02T10:00:00Z',
});

const definition = (name: string, { spec, status }: { readonly spec: JsonObject; readonly status: JsonObject }): KubeObject => ({
  apiVersion: 'chandlery.dev/v1alpha1',
  kind: 'AppDefinition',
  metadata: { name, uid: name, resourceVersion: '7', generation: 2, creationTimestamp: '2026-01-01T10:00:00Z' },
  spec: { chart: { repoURL: 'file://charts/apps', name, version: '0.2.0' }, ...spec },
  status,
});

const SAMPLES: readonly AppDefinitionView[] = [
  definition('queue', {
    spec: {},
    status: { conditions: [condition('Ready', 'False', 'chart: queue 9.9.9: the repository offers no such version')] },
  }),
  definition('web-app', {
    spec: {
      catalog: { displayName: 'Web application', category: 'Applications' },
      updatePolicy: 'Automatic',
      scale: { specReplicasPath: 'spec.values.replicas' },
      expiry: { after: '720h', warnBefore: '24h', gracePeriod: '72h' },
      allowedResources: [{ group: '', kind: 'Namespace' }],
      permissions: [{ apiGroups: ['monitoring.coreos.com'], resources: ['servicemonitors'], verbs: ['get', 'create'], resourceNames: [] }],
    },
    status: {
      chart: { name: 'web-app', version: '0.2.0', appVersion: '6.7.1', digest: DIGEST },
      availableVersion: '0.3.0',
      names: { kind: 'WebApp', plural: 'webapps', singular: 'webapp', shortNames: [] },
      crd: 'webapps.apps.chandlery.dev',
      revision: 'web-app-5f70bf18a086',
      instances: 2,
      rollout: {
        version: '0.2.0',
        revision: 'web-app-5f70bf18a086',
        wave: 'development',
        updated: 2,
        upgrading: 0,
        pending: 0,
        failed: 1,
        pinned: 0,
        skipped: 0,
        admitted: ['team-a/shop'],
      },
      conditions: [condition('Ready', 'True', 'The kind WebApp is served')],
    },
  }),
].map(appDefinitionView);

const REVISIONS = appRevisionViews(
  ['0.2.0', '0.1.0'].map((version, index) => ({
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppRevision',
    metadata: { name: index === 0 ? 'web-app-5f70bf18a086' : 'web-app-aaaaaaaaaaaa', creationTimestamp: `2026-01-0${2 - index}T10:00:00Z` },
    spec: { definition: 'web-app', createdByGeneration: 1, source: {}, chart: { name: 'web-app', version }, digest: DIGEST },
  })),
);

const rejectOthers = ({ groups }: Actor, verb: string, resource: string): void => {
  if (groups.includes('oidc:platform')) return;
  const permission = { verb, group: 'chandlery.dev', resource };
  throw new AppError('Forbidden', `${resource}: you may not ${verb} them`, { missing: permission });
};
const forAdmins = (actor: Actor): void => rejectOthers(actor, 'list', 'appdefinitions');

const missing = (name: string): never => {
  throw new AppError('NotFound', `app definition ${JSON.stringify(name)}: it does not exist in the cluster`);
};

const SHOP = {
  namespace: 'team-a',
  name: 'shop',
  tier: 'development',
  version: '0.1.0',
  result: 'Failed',
  message: 'Helm: the Deployment is invalid',
} as const;

export const SAMPLE_APP_DEFINITION_OPERATIONS = {
  listAppDefinitions: async (actor) => {
    forAdmins(actor);
    return SAMPLES;
  },
  showAppDefinition: async (actor, { name }) => {
    forAdmins(actor);
    const found = SAMPLES.find((one) => one.name === name) ?? missing(name);
    const app = 'webapps.apps.chandlery.dev';
    const placed = {
      app,
      kind: 'WebApp',
      namespace: 'team-a',
      environment: 'team-a',
      name: 'shop',
      created: '2026-01-02T10:00:00Z',
      finalizers: [],
    };
    const permission = { verb: 'list', group: 'apps.chandlery.dev', resource: 'webapps', namespace: 'team-b' };
    const isOffered = name === 'web-app';
    return {
      ...found,
      revisions: isOffered ? REVISIONS : [],
      placed: isOffered ? [placed] : [],
      versions: isOffered ? [SHOP] : [],
      missing: isOffered ? [permission] : [],
      unavailable: [],
      readme: isOffered ? '# Web application\n\nA Deployment and a Service.' : '',
    };
  },
  missingForNewAppDefinition: async () => undefined,
  createAppDefinition: async (_actor, { definition: { metadata } }) =>
    SAMPLES.find(({ name }) => name === metadata.name) ?? missing(metadata.name),
  preflightAppDefinition: async (_actor, { metadata }) => missing(metadata.name),
  listUploadedCharts: async (actor) => {
    rejectOthers(actor, 'list', 'chartarchives');
    return SAMPLE_CHARTS;
  },
  showUploadedChart: async (_actor, id) => missing(id),
  uploadChart: async (actor) => {
    rejectOthers(actor, 'create', 'chartarchives');
    throw new AppError('ChartInvalid', 'chart: file://uploaded/: it is not gzip');
  },
  deleteUploadedChart: async (actor) => rejectOthers(actor, 'delete', 'chartarchives'),
  previewChart: async (_actor, { repoURL, name, version }) => {
    if (name === 'nothing') throw new AppError('ChartNotFound', `chart: ${repoURL}: the repository offers no chart "nothing"`);
    return {
      repoURL,
      name,
      version: version === '' ? '0.2.0' : version,
      appVersion: '6.7.1',
      description: 'A stateless web application from a container image',
      home: '',
      kubeVersion: '>=1.31.0-0',
      deprecated: true,
      keywords: ['web'],
      changelog: {
        changes: [{ kind: 'fixed', description: 'A leak of connections' }],
        links: [{ name: 'Release notes', url: 'https://example.com/notes' }],
        images: ['registry.example.com/web:1.2.0'],
        containsSecurityUpdates: true,
        prerelease: false,
      },
      digest: `sha256:${DIGEST}`,
      versions: ['0.2.0', '0.1.0'],
      images: ['ghcr.io/stefanprodan/podinfo:6.7.1'],
      objects: [
        { kind: 'Deployment', count: 1 },
        { kind: 'Service', count: 2 },
      ],
      faults: ['The values violate the schema of the chart: port: must be <= 65535'],
      requirements: {
        outside: [
          { kind: 'ClusterRole', group: 'rbac.authorization.k8s.io', name: 'web', effects: ['get, list, watch on nodes'] },
          { kind: 'ConfigMap', group: '', name: 'web', namespace: 'kube-system', effects: [] },
        ],
        crds: [],
        unserved: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' }],
        permissions: [{ group: 'monitoring.coreos.com', resource: 'servicemonitors', verbs: ['create', 'patch'] }],
        accounts: [{ account: 'web', workload: 'Deployment web', powers: ['create pods'] }],
      },
      scopeDefaults: {
        values: { rbac: { namespaced: true } },
        requirements: {
          outside: [],
          crds: [],
          unserved: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' }],
          permissions: [],
          accounts: [],
        },
      },
      schema: 'values.schema.json',
      readme: '# Web application',
    };
  },
} satisfies Partial<Operations>;

const SAMPLE_CHARTS = ['1.1.0', '1.0.0'].map((version) => ({
  id: `web-${version}`,
  name: 'web',
  version,
  digest: `sha256:${DIGEST}`,
  size: 2_345,
  created: '2026-01-02T10:00:00Z',
  address: `file://uploaded/web-${version}.tgz`,
  usedBy: version === '1.0.0' ? ['AppDefinition web-app'] : [],
}));

/** The pages of AppDefinitions in their different states. */
export const APP_DEFINITION_PAGES: readonly SamplePage[] = [
  ...MANUAL_PAGES,
  page('/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/sleep', 'dev-a', {
    title: 'Put orders to sleep',
    holds: ['Only releases of charts can sleep'],
  }),
  page('/admin/app-definitions', 'admin', {
    title: 'App definitions',
    holds: ['2 app definitions', 'href="/admin/app-definitions/web-app"', '0.3.0 available', 'Failed', 'href="/admin/app-definitions/new"'],
  }),
  page('/admin/app-definitions', 'dev-a', {
    status: 403,
    title: 'Permission denied',
    holds: ['The permission to list appdefinitions.chandlery.dev'],
  }),
  page('/admin/app-definitions/web-app', 'admin', {
    title: 'Web application',
    holds: [
      'href="/environments/team-a/instances/webapps.apps.chandlery.dev/shop"',
      'web-app-5f70bf18a086',
      'Namespace',
      'Helm: the Deployment is invalid',
      '0.2.0 in tier development: 2 updated, 1 failed',
      'The permission to list webapps.apps.chandlery.dev',
      'README of the chart',
    ],
  }),
  page('/admin/app-definitions/queue', 'admin', {
    title: 'queue',
    holds: ['the repository offers no such version', 'No instances', 'No revisions yet'],
  }),
  page('/admin/charts?uploaded=web-1.1.0', 'admin', {
    title: 'Uploaded charts',
    holds: [
      'web-1.1.0 is uploaded',
      'file://uploaded/web-1.0.0.tgz',
      'AppDefinition web-app',
      '/admin/charts/web-1.1.0/deletion',
      'multipart/form-data',
    ],
  }),
  page('/admin/charts', 'dev-a', {
    status: 403,
    title: 'Permission denied',
    holds: ['The permission to list chartarchives.chandlery.dev'],
  }),
  page('/admin/app-definitions/new', 'admin', { title: 'New app definition', holds: ['Preview the chart'] }),
  page(
    '/admin/app-definitions/new?repoURL=file://charts/apps&name=web-app&namespaceMode=Dedicated&quotaPods=4&podSecurity=restricted&isolate=on',
    'admin',
    {
      title: 'New app definition',
      holds: ['namespaceMode: Dedicated', 'pods: &quot;4&quot;', 'networkPolicy: {}', 'enforce: restricted', 'name="quotaPods" value="4"'],
    },
  ),
  page('/admin/app-definitions/new?repoURL=file://charts/apps&name=web-app&quotaPods=many', 'admin', {
    status: 422,
    title: 'Error: New app definition',
    holds: ['Pods in all: enter a quantity', 'href="#namespaceMode"', 'select Dedicated, or empty its fields'],
  }),
  page('/admin/app-definitions/new?repoURL=file://charts/apps&name=web-app', 'admin', {
    title: 'New app definition',
    holds: ['kind: AppDefinition', 'ghcr.io/stefanprodan/podinfo:6.7.1', 'Deprecated', 'does not render', 'Check it', '1.31.0-0'],
  }),
  page('/admin/app-definitions/new?repoURL=file://charts/apps&name=nothing', 'admin', {
    status: 422,
    title: 'Error: New app definition',
    holds: ['offers no chart', 'aria-invalid="true"'],
  }),
];
