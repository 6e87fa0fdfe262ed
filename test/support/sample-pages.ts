import { ACCESS_TOKEN_PAGES } from './sample-access-tokens.ts';
import { APP_DEFINITION_PAGES } from './sample-app-definitions.ts';
import { ENVIRONMENT_PAGES } from './sample-environment-pages.ts';
import { KUBECTL_PAGES } from './sample-kubectl.ts';
import { page, type SamplePage } from './sample-page.ts';
import { RELEASE_PAGES } from './sample-releases.ts';
import { SOURCE_PAGES } from './sample-source-pages.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const POSTGRES_OPERATOR = '/operators/chandlery-system/postgres-operator';
const INSTANCES = `/environments/team-a/instances/${POSTGRES}`;

/** Every page in its different states, as the sample operations fill them. */
export const SAMPLE_PAGES: readonly SamplePage[] = [
  page('/', '', { title: 'Managed apps for your team', holds: ['href="/login"'] }),
  page('/', 'dev-a', { title: 'Catalogue', holds: ['4 apps', 'category&#x3D;Databases', 'href="/apps/caches.samples.chandlery.dev"'] }),
  page('/?search=zzz', 'dev-a', { title: 'Catalogue', holds: ['No app matches', '0 of 4 apps', 'value="zzz"'] }),
  page(`/apps/${POSTGRES}`, 'dev-a', {
    title: 'PostgreSQL',
    holds: [`/apps/${POSTGRES}/install`, 'From the chart’s README', 'Other kinds of the same Operator'],
  }),
  page(`/apps/${POSTGRES}?tab=parameters&search=size`, 'dev-a', { title: 'PostgreSQL', holds: ['storage.size', '1 of 11 parameters'] }),
  page(`/apps/${POSTGRES}?tab=versions`, 'dev-a', { title: 'PostgreSQL', holds: ['v1beta1', 'Deprecated.'] }),
  page('/apps/queues.example.test', 'dev-a', {
    title: 'Message queue with a rather long display name for a card',
    holds: ['This app cannot be installed now'],
  }),
  page(`/apps/${POSTGRES}/install`, 'dev-a', {
    title: 'Install PostgreSQL',
    holds: ['Your role there does not allow installing apps.', 'Review first'],
  }),
  ...ENVIRONMENT_PAGES,
  page('/admin/access-review', 'admin', { title: 'Access review', holds: ['The whole cluster', 'Check'] }),
  page(`/admin/access-review?user=oidc:ada&groups=oidc:team-a&verb=create&resource=${POSTGRES}&environment=team-a`, 'admin', {
    title: 'Access review',
    holds: ['oidc:ada may not create', 'The role developer of the environment', 'has no rule for it', 'auth can-i'],
  }),
  page('/account/permissions', 'dev-a', {
    title: 'My permissions',
    holds: ['developer', 'kubectl create rolebinding', 'href="/environments/shop"'],
  }),
  ...ACCESS_TOKEN_PAGES,
  ...KUBECTL_PAGES,
  page('/tier-board', 'dev-a', {
    title: 'Tier board',
    holds: [
      '3 apps in 2 environments',
      `${INSTANCES}/orders`,
      '1 field differs from Team A',
      'Change request open',
      'The permission to list deployments.apps',
    ],
  }),
  page('/tier-board?tier=development&differs=yes', 'dev-a', {
    title: 'Tier board',
    holds: ['No app matches', '0 of 3 apps in 1 environment'],
  }),
  page('/tier-board?app=shop&health=Healthy', 'dev-a', { title: 'Tier board', holds: ['1 of 3 apps', 'format&#x3D;csv'] }),
  page(`${INSTANCES}/orders/history`, 'dev-a', {
    title: 'History of orders in Team A',
    holds: ['edit?revision&#x3D;2', '25 fields', 'the values are the live ones', 'chandlery history '],
  }),
  page(`${INSTANCES}/orders/edit?revision=2`, 'dev-a', { title: 'Change orders', holds: ['Rollback to revision 2', 'Save the change'] }),
  page(`${INSTANCES}/archive/history`, 'dev-a', { title: 'History of archive in Team A', holds: ['No earlier revisions'] }),
  page(`${INSTANCES}/orders/timeline`, 'dev-a', { title: 'Timeline of orders in Team A', holds: ['3 entries', 'Chandlery pages or REST'] }),
  page(`${INSTANCES}/orders`, 'dev-a', {
    title: 'orders in Team A',
    holds: [
      'data-live="',
      'How to use it',
      'kubectl wait',
      'resources?health&#x3D;Healthy',
      'Reveal<span',
      'registry.example.com/shop/web 1.4, 1.3',
    ],
  }),
  page(`${INSTANCES}/reports`, 'dev-a', {
    title: 'reports in Team A',
    holds: ['class="progress"', 'The app’s controller has not reconciled'],
  }),
  page(`${INSTANCES}/archive`, 'dev-a', {
    title: 'archive in Team A',
    holds: ['insufficient memory', 'Affected resources', 'FailedScheduling', '(12 times)'],
  }),
  page(`${INSTANCES}/archive/resources`, 'dev-a', {
    title: 'Resources of archive in Team A',
    holds: ['data-live="', 'aria-current="page">Resources', 'claimed by', 'You may not list these kinds: Secret'],
  }),
  page(`${INSTANCES}/archive/resources?view=graph`, 'dev-a', {
    title: 'Resources of archive in Team A',
    holds: [
      '<svg class="graph__svg"',
      '>archive-0</text> <text class="graph__health" x="230" y="19">Degraded</text>',
      '>VolumeClaim</text>',
    ],
  }),
  page(`${INSTANCES}/archive/resources?kind=Pod&health=Degraded`, 'dev-a', {
    title: 'Resources of archive in Team A',
    holds: [
      '1 of 9 resources match',
      'Clear all filters',
      'tree__row--context',
      `/api/v1${INSTANCES}/archive/tree?kind&#x3D;Pod&amp;health&#x3D;Degraded`,
    ],
  }),
  page(`${INSTANCES}/orders/resources?search=zzz&view=graph`, 'dev-a', {
    title: 'Resources of orders in Team A',
    holds: ['0 of 9 resources match', 'No resource matches.'],
  }),
  page(`${INSTANCES}/archive/workloads`, 'dev-a', {
    title: 'Workloads of archive in Team A',
    holds: [
      'has timed out progressing.',
      'Revision 3',
      'CrashLoopBackOff',
      'by kubectl-client-side-apply',
      'logs?pod&#x3D;archive-0',
      'Canary',
    ],
  }),
  page(`${INSTANCES}/reports/edit`, 'dev-a', { title: 'Change reports', holds: ['by the CatalogSource team-a', 'Review the change'] }),
  page('/proposals', 'dev-a', { title: 'Proposals', holds: ['/platform/catalog/pulls/42', 'The forge of shop', 'Synced'] }),
  page(`${INSTANCES}/orders/edit`, 'dev-a', { title: 'Change orders', holds: ['name="seen"', 'value="10Gi"'] }),
  page(`${INSTANCES}/orders/migration?version=v2`, 'dev-a', {
    title: 'Move orders to v2',
    holds: ['name="d.spec.legacy"', 'name="t.spec.region"'],
  }),
  page(`/environments/shop/instances/${POSTGRES}/orders/edit`, 'dev-a', {
    status: 403,
    title: 'You may not change orders',
    holds: ['The permission to update postgresclusters.samples.chandlery.dev', 'kind: RoleBinding', 'href="/environments/shop">Shop</a>'],
  }),
  page(`${INSTANCES}/orders/delete`, 'dev-a', { title: 'Delete orders', holds: ['Pod orders-0, orders-1, orders-2', 'Cancel'] }),
  page(`/environments/shop/instances/${POSTGRES}/orders/delete`, 'dev-a', {
    title: 'Delete orders',
    holds: ['This is a production environment.'],
  }),
  page('/change-requests', 'dev-a', { title: 'Requests', holds: ['Your requests', 'Declined'] }),
  page('/change-requests', 'admin', {
    title: 'Requests',
    holds: ['Waiting for your approval in shop', 'waiting for you</span>', 'oidc:dev-a'],
  }),
  page(`/change-requests/${'1'.repeat(32)}?asked`, 'dev-a', {
    title: 'Install orders',
    holds: [
      'Your request is saved',
      `http://localhost:8080/change-requests/${'1'.repeat(32)}`,
      'Withdraw this request',
      'For the sale on Friday.',
    ],
  }),
  page(`/change-requests/${'1'.repeat(32)}`, 'admin', {
    title: 'Install orders',
    holds: ['Approve and install orders', 'name="digest" value="d"', 'Propose the change in git', 'Decline'],
  }),
  page(`/change-requests/${'2'.repeat(32)}`, 'admin', {
    title: 'Change orders',
    holds: ['The resource has changed since this request was created'],
  }),
  page(`/change-requests/${'3'.repeat(32)}`, 'dev-a', { title: 'Install orders', holds: ['Declined by oidc:admin', 'ask for 5Gi'] }),
  page(`/change-requests/${'4'.repeat(32)}`, 'dev-a', {
    title: 'Install orders',
    holds: ['Approved by oidc:admin', `${INSTANCES}/orders`],
  }),
  page('/operators', 'admin', {
    title: 'Operators',
    holds: ['5 Operators', '/operators/default/queue-operator', '1.5.0 available', 'not allowed'],
  }),
  page('/operators/new', 'admin', { title: 'New Operator', holds: ['kind: Operator', 'Check it'] }),
  page('/operators?state=Error&search=queue', 'admin', {
    title: 'Operators',
    holds: ['1 of 5 Operators', 'value="queue"', 'name="state"'],
  }),
  page('/operators?search=zzz', 'admin', { title: 'Operators', holds: ['No Operator matches', 'Show all Operators'] }),
  page(POSTGRES_OPERATOR, 'admin', {
    title: 'PostgreSQL',
    holds: [
      'sha256:',
      'deployed',
      'crds/',
      'Rolled back',
      'Version 1.5.0 is available',
      'The maintenance window opens',
      'The chart can be fetched.',
      `${POSTGRES_OPERATOR}/reconcile`,
      'kubectl annotate',
    ],
  }),
  page(`${POSTGRES_OPERATOR}?asked=reconcile`, 'admin', { title: 'PostgreSQL', holds: ['Reconcile requested.'] }),
  page(`${POSTGRES_OPERATOR}?tab=resources`, 'admin', { title: 'PostgreSQL', holds: ['ReplicaSet', '2 kinds that you may not list'] }),
  page(`${POSTGRES_OPERATOR}?tab=events`, 'admin', { title: 'PostgreSQL', holds: ['FailedScheduling'] }),
  page(`${POSTGRES_OPERATOR}?tab=values`, 'admin', { title: 'PostgreSQL', holds: ['auth.password', 'Secret db key password'] }),
  page(`${POSTGRES_OPERATOR}?tab=instances`, 'admin', {
    title: 'PostgreSQL',
    holds: [`${INSTANCES}/orders`, 'samples.chandlery.dev/backup'],
  }),
  page(`${POSTGRES_OPERATOR}/delete`, 'admin', {
    title: 'Delete PostgreSQL',
    holds: ['3 instances block the deletion', 'The source would create it again'],
  }),
  page('/operators/default/queue-operator', 'admin', {
    title: 'queue-operator',
    holds: ['No CRDs found yet.', 'Nothing has been installed yet.', 'operators/queue.yaml:12:5'],
  }),
  page(`${POSTGRES_OPERATOR}?tab=notes`, 'admin', {
    title: 'PostgreSQL',
    holds: ['NOTES.txt, revision 3', '&lt;b&gt;kubectl', 'helm get notes'],
  }),
  page('/operators/default/queue-operator?tab=notes', 'admin', {
    title: 'queue-operator',
    holds: ['The permission to get secrets &quot;sh.helm.release.v1.queue-operator.v1&quot;'],
  }),
  page('/operators/default/queue-operator?tab=resources', 'admin', {
    title: 'queue-operator',
    holds: ['The permission to list deployments.apps in the namespace &quot;default&quot; is missing.'],
  }),
  page('/operators/monitoring/metrics-operator', 'admin', { title: 'Metrics', holds: ['Pod operator-0-7c9f-x2x: it cannot be scheduled'] }),
  page('/operators/monitoring/metrics-operator/delete', 'admin', {
    title: 'Delete Metrics',
    holds: ['Type <strong>metrics-operator</strong>'],
  }),
  page('/operators/monitoring/logs-operator', 'admin', { title: 'Logs', holds: ['Suspended', 'The permission to patch operators'] }),
  page('/operators/monitoring/logs-operator?tab=instances', 'admin', {
    title: 'Logs',
    holds: ['Some kinds cannot be listed now', 'service &quot;logs-converter&quot; not found', 'No instances listed'],
  }),
  page('/operators/monitoring/logs-operator/delete', 'admin', {
    title: 'Delete Logs',
    holds: ['Instances may block the deletion', 'Some instances cannot be counted now', 'logs-converter'],
  }),
  page('/operators/chandlery-system/cache-operator', 'admin', {
    title: 'Cache',
    holds: ['set by cache-operator', 'samples.chandlery.dev/cleanup', 'The release is uninstalled'],
  }),
  page('/operators/chandlery-system/postgres-operator/upgrade', 'admin', {
    title: 'Upgrade of PostgreSQL',
    holds: [
      'Safe to upgrade',
      'Its pods are replaced',
      'Approve 1.5.0',
      'kubectl annotate kop postgres-operator',
      'not shown',
      'href="#propose"',
    ],
  }),
  page('/operators/chandlery-system/postgres-operator/upgrade?version=2.0.0', 'admin', {
    title: 'Upgrade of PostgreSQL',
    holds: [
      'Blocked by 2 issues',
      'PostgresCluster team-a/orders would be invalid',
      'You may not approve this upgrade',
      'An approval has no effect',
    ],
  }),
  page('/apps/postgresclusters.samples.chandlery.dev/saved-configurations', 'dev-a', {
    title: 'Saved configurations of PostgreSQL',
    holds: ['What the team uses'],
  }),
  page(`/apps/postgresclusters.samples.chandlery.dev/saved-configurations/${'b'.repeat(32)}`, 'dev-a', {
    title: 'Change “What the team uses”',
    holds: ['Save as new', 'Version 3', '<code>spec.storage.tier</code>'],
  }),
  page(`/apps/postgresclusters.samples.chandlery.dev/saved-configurations/${'b'.repeat(32)}/compare?with=team-a%2Forders`, 'dev-a', {
    title: 'Compare “What the team uses”',
    holds: ['Review the change of orders', 'orders in team-a'],
  }),
  page('/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/save', 'dev-a', {
    title: 'Save a configuration of PostgreSQL',
    holds: ['For the group oidc:team-a'],
  }),
  ...SOURCE_PAGES,
  ...APP_DEFINITION_PAGES,
  ...RELEASE_PAGES,
  page('/catalog/faults', 'admin', { title: 'Catalogue faults', holds: ['operators/queue.yaml:12:5', 'environments.yaml'] }),
  page('/', 'admin', { title: 'Catalogue', holds: ['<a href="/catalog/drafts">3 drafts</a>'] }),
  page('/catalog/drafts', 'admin', {
    title: 'Drafts',
    holds: ['How to publish Backup', 'definition: backups.postgres-operator.example.com', 'Helm release monitoring/prometheus'],
  }),
  page('/catalog/drafts?operator=a%2Fb', 'admin', {
    title: 'Drafts',
    holds: ['No draft belongs to this Operator', 'Show all drafts'],
  }),
  page('/catalog/drafts', 'dev-a', { status: 403, title: 'Permission denied', holds: ['Ask an administrator'] }),
  page('/admin/audit-log', 'admin', {
    title: 'Audit log',
    holds: [
      `${INSTANCES}/orders`,
      'Rejected',
      '<code>Forbidden</code>',
      'the REST API',
      'before&#x3D;11',
      '1 created, 1 changed, 1 removed',
      'StatefulSet queue-jobs',
    ],
  }),
  page('/admin/audit-log?person=zzz', 'admin', { title: 'Audit log', holds: ['Nothing matches', 'value="zzz"', 'Show everything'] }),
  page('/admin/audit-log', 'dev-a', { status: 403, title: 'Permission denied', holds: ['Ask an administrator'] }),
  page('/operators', 'dev-a', { status: 403, title: 'Permission denied', holds: ['Ask an administrator'] }),
  page('/apps/nope', 'dev-a', { status: 404, title: 'Not found', holds: ['Go to the catalogue'] }),
  page('/no/such/page', '', { status: 404, title: 'Not found', holds: ['The URL may be mistyped'] }),
];
