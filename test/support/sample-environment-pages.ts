import { page, type SamplePage } from './sample-page.ts';

const INSTANCES = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev';

/** The pages of environments, and of what is in them, in their different states. */
export const ENVIRONMENT_PAGES: readonly SamplePage[] = [
  page('/environments', 'dev-a', { title: 'Environments', holds: ['oidc:team-a', 'production', 'href="/tier-board"', '2 instances'] }),
  page('/environments', 'admin', { title: 'Environments', holds: ['href="/admin/environments/new"'] }),
  page('/admin/environments/new', 'admin', { title: 'New environment', holds: ['name="v.spec.tier"', 'Create the environment'] }),
  page('/environments/team-a/edit', 'admin', { title: 'Change Team A', holds: ['value="oidc:team-a"', 'Save the change'] }),
  page('/environments/shop/edit', 'admin', { title: 'Change Shop', holds: ['by the CatalogSource catalog', 'environments/shop.yaml'] }),
  page('/environments/team-a/delete', 'admin', {
    title: 'Delete Team A',
    holds: [
      'This cannot be undone',
      'archive, orders, reports',
      'chandlery.dev/deletion-intent&#x3D;Cascade',
      'team-a?intent&#x3D;Cascade',
    ],
  }),
  page('/environments/shop/delete', 'dev-a', { title: 'Delete Shop', holds: ['You may not delete this environment'] }),
  page('/environments/team-a/members', 'admin', {
    title: 'Members of Team A',
    holds: ['Not made by Chandlery', 'spec.groups', 'oidc:dev-a'],
  }),
  page('/environments/shop/members', 'dev-a', { title: 'Members of Shop', holds: ['The permission to list rolebindings'] }),
  page('/environments/team-a', 'dev-a', {
    title: 'Team A',
    holds: [
      `${INSTANCES}/orders`,
      'Deployment shop: The rollout has not progressed',
      '13.5Gi of 16Gi, 84 %',
      'A container that sets no requests gets 100m CPU and 128Mi memory.',
      'ci/deploy',
      'environments/team-a.yaml:12',
      '1 kind that you may not list',
      'aria-label="Restore old-orders"',
    ],
  }),
  page('/environments/team-a/workloads', 'dev-a', {
    title: 'Workloads of Team A',
    holds: [
      '4 workloads',
      'canary',
      'CrashLoopBackOff',
      'GitLab: shop-web, review',
      'href="https://ci.example.com/shop/pipelines/17"',
      'data-live="',
    ],
  }),
  page('/environments/team-a/workloads?track=canary&health=Degraded', 'dev-a', {
    title: 'Workloads of Team A',
    holds: ['1 of 4 workloads', 'Stalled', 'format&#x3D;csv'],
  }),
  page('/environments/shop/workloads', 'dev-a', {
    title: 'Workloads of Shop',
    holds: ['No permission', 'You may not list pods in the namespace', 'The permission to list pods'],
  }),
  page('/environments/team-a/resources', 'dev-a', {
    title: 'Resources of Team A',
    holds: [
      `${INSTANCES}/orders`,
      'GitLab project shop/frontend',
      'flux-system/team-a',
      'The permission to list secrets in the namespace &quot;team-a&quot; is missing.',
    ],
  }),
  page('/environments/team-a/resources?health=Degraded', 'dev-a', {
    title: 'Resources of Team A',
    holds: ['1 of 11 resources', '0/2 ready', 'cannot be pulled'],
  }),
  page('/environments/team-a/resources?release=team-a/mailer&labelSelector=a%20b', 'dev-a', {
    title: 'Resources of Team A',
    holds: ['1 of 11 resources', 'Write a label selector as kubectl takes it'],
  }),
  page('/environments/team-a/resources?resource=secrets&search=nothing', 'dev-a', {
    title: 'Resources of Team A',
    holds: ['No permission', 'You may not list secrets in the namespace team-a', 'Clear all filters'],
  }),
  page('/environments/shop/resources', 'dev-a', { title: 'Resources of Shop', holds: ['Nothing installed yet', 'Open the catalogue'] }),
  page('/environments/team-a/monitoring', 'dev-a', { title: 'Monitoring of Team A', holds: ['orders-2', 'no answer within 10 seconds'] }),
  page('/environments/shop/monitoring', 'dev-a', { title: 'Monitoring of Shop', holds: ['No Prometheus configured'] }),
  page('/environments/team-a/resources/deployments.apps/shop', 'dev-a', {
    title: 'Deployment shop',
    holds: [
      'href="/environments/team-a/resources/deployments.apps/shop/restart"',
      'GET /healthz at port 8080',
      'owned by it',
      'FailedPull',
    ],
  }),
  page('/environments/team-a/resources/pods/shop-7c9f-x2x', 'dev-a', {
    title: 'Pod shop-7c9f-x2x',
    holds: ['Waiting: ImagePullBackOff', 'selects it', 'The permission to create pods/eviction &quot;shop-7c9f-x2x&quot;'],
  }),
  page('/environments/team-a/resources/deployments.apps/shop/scale', 'dev-a', {
    title: 'Scale shop',
    holds: ['name="replicas"', 'kubectl scale deployments.apps/shop --replicas 2'],
  }),
  page('/environments/team-a/resources/cronjobs.batch/backup/run', 'dev-a', {
    title: 'Run backup now',
    holds: ['kubectl annotate cronjobs.batch/backup', '--overwrite chandlery.dev/run-at'],
  }),
  page('/environments/team-a/resources/pods/shop-7c9f-x2x/evict', 'dev-a', {
    title: 'Delete the pod shop-7c9f-x2x',
    holds: ['Permission denied', 'The ReplicaSet shop-7c9f creates a new pod with another name.'],
  }),
  page('/environments/team-a/timeline', 'dev-a', {
    title: 'Timeline of Team A',
    holds: [
      '8 entries',
      '/environments/team-a/resources/deployments.apps/shop',
      'kubectl edit',
      '/change-requests/0123',
      'for about one hour',
    ],
  }),
  page('/environments/team-a/timeline?kind=Changed&since=2026-11-21', 'dev-a', { title: 'Timeline of Team A', holds: ['1 of 8 entries'] }),
  page('/environments/shop', 'dev-a', {
    title: 'Shop',
    holds: ['No apps installed yet', 'The namespace is being reserved.', 'No quota'],
  }),
];
