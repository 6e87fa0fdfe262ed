import { page, type SamplePage } from './sample-page.ts';

/** The pages of sources in their different states. */
export const SOURCE_PAGES: readonly SamplePage[] = [
  page('/sources', 'admin', {
    title: 'Sources',
    holds: ['5 sources', 'href="/sources/catalog"', 'branch main', 'main@sha1:9f2c4a1b03d7<', 'Approval needed', '2 faults'],
  }),
  page('/admin/sources/new', 'admin', {
    title: 'New source',
    holds: ['name="v.spec.git.url"', 'href="/admin/sources/new?origin&#x3D;folder"', 'Create the source'],
  }),
  page('/admin/sources/new?origin=folder', 'admin', { title: 'New source', holds: ['name="v.spec.folder.path"'] }),
  page('/sources?state=Synced&search=zzz', 'admin', { title: 'Sources', holds: ['No source matches', '0 of 5 sources'] }),
  page('/sources', 'dev-a', { status: 403, title: 'Permission denied', holds: ['The permission to list catalogsources.chandlery.dev'] }),
  page('/sources/catalog', 'admin', {
    title: 'catalog',
    holds: [
      'Ada Min',
      'Offer PostgreSQL 17',
      'Operators, AppDefinitions and Environments',
      'those of the controller',
      'every 10 minutes, and on request',
      'Secret chandlery-system/catalog-git',
      'Next check',
      'http://localhost:8080/hooks/catalog',
      'kubectl create secret generic catalog-hook',
      'Return to this one',
      'Offer queues no more, Ada Min',
      'data-live="',
    ],
  }),
  page('/sources/laptop', 'admin', {
    title: 'laptop',
    holds: [
      'operators/queue.yaml:12:5',
      'the source as a whole',
      'ConfigMap, Deployment (apps) and every kind of samples.chandlery.dev',
      'only the namespaces team-a and shop',
      'those of the ServiceAccount team-a/deployer',
      'waits at most 5 minutes',
      'every 1 hour 30 minutes',
      'their resources stay',
      'live within seconds',
    ],
  }),
  page('/sources/moved', 'admin', {
    title: 'moved',
    holds: ['would remove 1 of 3 resources', 'Pending removals', 'Remove 2 resources now'],
  }),
  page('/sources/private', 'admin', { title: 'private', holds: ['rejects the credentials', 'Nothing is deleted', 'No revisions yet'] }),
  page('/sources/resting', 'admin', { title: 'resting', holds: ['The permission to patch catalogsources.chandlery.dev'] }),
  page('/sources/catalog?asked=sync', 'admin', {
    title: 'catalog',
    holds: ['Sync requested.', 'action="/sources/catalog/suspend"', 'kubectl annotate catalogsource catalog chandlery.dev/reconcile-at'],
  }),
  page(`/sources/catalog/rollback?revision=main%40sha1%3A${'2b'.repeat(20)}`, 'admin', {
    title: 'Return catalog to main@sha1:2b2b2b2b2b2b',
    holds: [
      '9 added, 1 changed, 1 removed',
      'and 8 more',
      'Propose the rollback',
      'git restore --source',
      `preview?ref&#x3D;${'2b'.repeat(20)}`,
    ],
  }),
  page(`/sources/laptop/rollback?revision=sha256%3A${'3c'.repeat(32)}`, 'admin', {
    title: 'Return laptop to sha256:3c3c3c3c3c3c',
    holds: ['1 file differs', 'operators/queue.yaml', 'operators/token.yaml', '| patch -p1 -d /home/ada/catalog', 'Download the patch'],
  }),
  page('/sources/catalog/preview', 'admin', {
    title: 'Preview of catalog',
    holds: [
      'This revision has no faults',
      'used your permissions (oidc:admin). The sync uses those of the controller.',
      '1 new, 1 changed, 7 unchanged',
      'Offer PostgreSQL 17',
      '&lt;masked: spec.password&gt;',
    ],
  }),
  page('/sources/catalog/preview?ref=broken', 'admin', {
    title: 'Preview of catalog',
    holds: ['value="broken"', 'Nothing of this revision would be applied.', 'operators/queue.yaml:12:5'],
  }),
  page('/sources/moved/preview', 'admin', {
    title: 'Preview of moved',
    holds: ['Remove 1 resource now<', 'goes to another source', 'chandlery.dev/approved-prune&#x3D;main@sha1:9f2c4a1b03d7e6f5'],
  }),
  page('/sources/private/preview', 'admin', {
    status: 422,
    title: 'Error: Preview of private',
    holds: ['rejects the credentials', 'aria-invalid="true"'],
  }),
  page('/sources/catalog/delete', 'admin', {
    title: 'Delete catalog',
    holds: [
      'Its reclaim policy decides about its namespace.',
      'Type <strong>catalog</strong>',
      'kubectl annotate catalogsource catalog chandlery.dev/deletion-intent&#x3D;Cascade',
      'kubectl delete catalogsource catalog',
    ],
  }),
  page('/sources/laptop/delete', 'admin', { title: 'Delete laptop', holds: ['The resources stay', 'spec.prune is false'] }),
  page('/sources/resting/delete', 'admin', { title: 'Delete resting', holds: ['The permission to delete catalogsources.chandlery.dev'] }),
  page('/sources/catalog?tab=inventory', 'admin', {
    title: 'catalog',
    holds: ['4 resources', 'href="/operators/chandlery-system/postgres-operator"', 'Missing', 'The permission to get secrets'],
  }),
  page('/sources/catalog?tab=inventory&search=zzz', 'admin', { title: 'catalog', holds: ['0 of 4 resources', 'Nothing matches'] }),
];
