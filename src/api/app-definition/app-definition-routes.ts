import { NAMESPACE_MODES } from '../../domain/app-definition/app-definition-kind.ts';
import { APP_DEFINITION_STATES } from '../../domain/app-definition/app-definition-view.ts';
import { ROLLOUT_RESULTS } from '../../domain/app-definition/rollout.ts';
import { CHANGE_KINDS } from '../../domain/chart/changelog.ts';
import { MAX_ARCHIVE_BYTES } from '../../domain/app-definition/uploaded-chart.ts';
import { textAt } from '../../domain/core/read.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { JsonSchema, Route } from '../route.ts';
import { anything, flag, integer, list, manifestOf, object, pageOf, ref, text, time } from '../schema-parts.ts';

const MAX_BASE64 = 2 * MAX_ARCHIVE_BYTES;

/** Routes of AppDefinitions, and of the charts that they are made of. */
export const APP_DEFINITION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/app-definitions',
    operationId: 'listAppDefinitions',
    summary: 'List the AppDefinitions (admins)',
    tag: 'Admin',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of AppDefinitions', schema: pageOf('AppDefinition') } },
    handle: async ({ operations, actor, query }) => ({
      status: 200,
      body: pageOfItems(await operations.listAppDefinitions(actor), ({ name }) => name, query),
    }),
  },
  {
    method: 'post',
    path: '/app-definitions',
    operationId: 'createAppDefinition',
    summary: 'Offer a chart as an app, or with `dryRun=All` run the preflight checks only (admins)',
    tag: 'Admin',
    query: { dryRun: { enum: ['All'], description: '`All`: run preflight checks only, and write nothing' } },
    body: ref('AppDefinitionManifest'),
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created AppDefinition; Location is its URL', schema: ref('AppDefinition') },
    },
    handle: async ({ operations, actor, query, body, requestOrigin }) => {
      const definition = body as KubeObject;
      if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightAppDefinition(actor, definition) };
      const created = await operations.createAppDefinition(actor, { definition, ...requestOrigin });
      return { status: 201, body: created, location: `/api/v1/app-definitions/${encodeURIComponent(created.name)}` };
    },
  },
  {
    method: 'get',
    path: '/app-definitions/{name}',
    operationId: 'showAppDefinition',
    etag: 'strong',
    summary: 'Get an AppDefinition with its revisions and instances (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The AppDefinition', schema: ref('AppDefinitionDetails') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.showAppDefinition(actor, { name: textAt(params, 'name') ?? '' }),
    }),
  },
  {
    method: 'get',
    path: '/chart-preview',
    operationId: 'previewChart',
    summary: 'Fetch a chart of a repository and describe it: versions, images, objects, README (admins)',
    tag: 'Admin',
    query: {
      repoURL: {
        type: 'string',
        maxLength: 2048,
        description: '`https://…`, `oci://…`, `file://ROOT` for a configured folder, or `file://uploaded` for uploaded charts',
      },
      name: { type: 'string', maxLength: 250, description: 'The name of the chart' },
      version: {
        type: 'string',
        default: '',
        maxLength: 128,
        description: 'A version or a range. Default: the newest that is no pre-release',
      },
      secret: {
        type: 'string',
        default: '',
        maxLength: 253,
        description: 'A Secret in chandlery-system with credentials for the repository',
      },
    },
    replies: { 200: { description: 'The preview; nothing is written for it', schema: ref('ChartPreview') } },
    handle: async ({ operations, actor, query }) => ({
      status: 200,
      body: await operations.previewChart(actor, {
        repoURL: textAt(query, 'repoURL') ?? '',
        name: textAt(query, 'name') ?? '',
        version: textAt(query, 'version') ?? '',
        secret: textAt(query, 'secret') ?? '',
      }),
    }),
  },
  {
    method: 'get',
    path: '/charts',
    operationId: 'listUploadedCharts',
    summary: 'List the charts that were uploaded (admins)',
    tag: 'Admin',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of uploaded charts', schema: pageOf('UploadedChart') } },
    handle: async ({ operations, actor, query }) => ({
      status: 200,
      body: pageOfItems(await operations.listUploadedCharts(actor), ({ id }) => id, query),
    }),
  },
  {
    method: 'post',
    path: '/charts',
    operationId: 'uploadChart',
    summary: 'Upload the archive of a chart; the same archive again changes nothing (admins)',
    tag: 'Admin',
    body: object({
      archive: { type: 'string', minLength: 1, maxLength: MAX_BASE64, description: 'The archive (.tgz, at most 1 MiB) in base64' },
    }),
    largestBody: 2 * MAX_ARCHIVE_BYTES,
    replies: { 201: { description: 'The chart; its `address` goes into `spec.chartURL`', schema: ref('UploadedChart') } },
    handle: async ({ operations, actor, body, requestOrigin }) => {
      const bytes = Buffer.from(textAt(body, 'archive') ?? '', 'base64');
      const chart = await operations.uploadChart(actor, { bytes, ...requestOrigin });
      return { status: 201, body: chart, location: `/api/v1/charts/${encodeURIComponent(chart.id)}` };
    },
  },
  {
    method: 'get',
    path: '/charts/{chart}',
    operationId: 'showUploadedChart',
    etag: 'strong',
    summary: 'Get an uploaded chart, without its archive (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The chart', schema: ref('UploadedChart') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.showUploadedChart(actor, textAt(params, 'chart') ?? ''),
    }),
  },
  {
    method: 'delete',
    path: '/charts/{chart}',
    operationId: 'deleteUploadedChart',
    etag: 'strong',
    summary: 'Delete an uploaded chart that nothing refers to (admins)',
    tag: 'Admin',
    replies: { 202: { description: 'The deletion is accepted; Location returns 404 once it is complete' } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      const id = textAt(params, 'chart') ?? '';
      await operations.deleteUploadedChart(actor, { id, preconditions, ...requestOrigin });
      return { status: 202, location: `/api/v1/charts/${encodeURIComponent(id)}` };
    },
  },
];

const DEFINITION = {
  name: text,
  displayName: text,
  category: text,
  state: { enum: APP_DEFINITION_STATES },
  message: { ...text, description: 'Of the condition Ready; empty before the first reconcile' },
  chart: object({ address: text, name: text, version: text, appVersion: text, digest: text, availableVersion: text }, ['address']),
  published: { ...list(text), description: 'The CRDs of others that it publishes instead of a chart' },
  names: object({ kind: text, plural: text, singular: text, shortNames: list(text) }),
  crd: { ...text, description: 'The generated CustomResourceDefinition, which is the id of the app; absent before it exists' },
  revision: { ...text, description: 'The current AppRevision' },
  instances: { ...integer, description: 'In the whole cluster; absent while they are not counted' },
  namespaceMode: { enum: NAMESPACE_MODES, description: 'Whether each instance has a namespace of its own' },
  updatePolicy: { enum: ['Manual', 'Automatic'] },
  scale: { ...object({ specReplicasPath: text }), description: 'The subresource scale of the kind; absent where it has none' },
  rollout: {
    ...object(
      {
        version: text,
        revision: text,
        wave: { ...text, description: 'The tier that is upgraded now; absent when none is left' },
        updated: integer,
        upgrading: integer,
        pending: integer,
        failed: integer,
        pinned: integer,
        skipped: integer,
        admitted: { ...list(text), description: 'The instances that may take the version now, as `namespace/name`' },
      },
      ['version', 'revision', 'updated', 'upgrading', 'pending', 'failed', 'pinned', 'skipped', 'admitted'],
    ),
    description: 'With `updatePolicy: Automatic`',
  },
  expiry: {
    ...object({ after: text, warnBefore: text, gracePeriod: text }, []),
    description: 'When instances expire, with durations such as `72h`; absent where the spec does not say',
  },
  deletionPolicy: { enum: ['Block', 'Cascade', 'Orphan'] },
  allowedResources: list(object({ group: text, kind: text })),
  permissions: {
    ...list(object({ apiGroups: list(text), resources: list(text), verbs: list(text), resourceNames: list(text) })),
    description: 'What releases of its instances may do beyond the deployer of environments',
  },
  suspended: flag,
  conditions: list(ref('Condition')),
  created: time,
  etag: text,
} as const;
const OPTIONAL: readonly string[] = ['names', 'crd', 'revision', 'instances', 'scale', 'rollout', 'expiry'];
const REQUIRED = Object.keys(DEFINITION).filter((key) => !OPTIONAL.includes(key));

const PREVIEW = {
  repoURL: text,
  name: text,
  version: text,
  appVersion: text,
  description: text,
  home: text,
  kubeVersion: { ...text, description: 'The range of Kubernetes versions that it asks for; empty without one' },
  deprecated: flag,
  keywords: list(text),
  changelog: ref('Changelog'),
  digest: text,
  versions: { ...list(text), description: 'The newest 50, newest first' },
  images: list(text),
  objects: list(object({ kind: text, count: integer })),
  faults: { ...list(text), description: 'What is wrong with rendering the chart with its own values' },
  requirements: ref('ChartRequirements'),
  scopeDefaults: object({
    values: { ...anything, description: 'Laid over the values of the chart' },
    requirements: { ...ref('ChartRequirements'), description: 'What the chart needs with these values' },
  }),
  schema: { enum: ['values.schema.json', 'values.yaml'], description: 'Where the form of the values comes from' },
  readme: { ...text, description: 'Untrusted Markdown' },
};

/** Components of AppDefinitions. */
export const APP_DEFINITION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  UploadedChart: object(
    {
      id: { ...text, description: 'The name of the ChartArchive' },
      name: text,
      version: text,
      appVersion: text,
      digest: text,
      size: { ...integer, description: 'Bytes' },
      created: time,
      address: { ...text, description: 'For `spec.chartURL`' },
      usedBy: { ...list(text), description: 'The AppDefinitions and Operators that refer to it; absent after an upload' },
      etag: { ...text, description: 'Of a single chart' },
    },
    ['id', 'name', 'version', 'digest', 'size', 'created', 'address'],
  ),
  AppDefinitionManifest: manifestOf(APP_DEFINITION),
  AppDefinition: object(DEFINITION, REQUIRED),
  AppDefinitionDetails: object(
    {
      ...DEFINITION,
      revisions: list(object({ name: text, version: text, appVersion: text, digest: text, created: time })),
      placed: { ...list(ref('OperatorInstance')), description: 'The instances that the caller may list' },
      versions: {
        ...list(object({ namespace: text, name: text, tier: text, version: text, result: { enum: ROLLOUT_RESULTS }, message: text })),
        description: 'What the current version means for each of them, in the order of a roll-out',
      },
      missing: list(ref('MissingPermission')),
      unavailable: list(ref('UnavailableKind')),
      readme: { ...text, description: 'Untrusted Markdown' },
    },
    [...REQUIRED, 'revisions', 'placed', 'versions', 'missing', 'unavailable', 'readme'],
  ),
  Changelog: {
    ...object({
      changes: list(object({ kind: { enum: CHANGE_KINDS }, description: text }, ['description'])),
      links: list(object({ name: text, url: text }, ['name', 'url'])),
      images: { ...list(text), description: 'As the authors say' },
      containsSecurityUpdates: flag,
      prerelease: flag,
    }),
    description: 'The annotations `artifacthub.io/…` of the Chart.yaml; untrusted text',
  },
  ChartRequirements: object(
    {
      outside: {
        ...list(
          object({ kind: text, group: text, name: text, namespace: text, effects: list(text) }, ['kind', 'group', 'name', 'effects']),
        ),
        description: 'Objects outside the namespace of a release, and what each grants or decides',
      },
      crds: { ...list(text), description: 'CRDs of the chart that the cluster does not have' },
      unserved: {
        ...list(object({ apiVersion: text, kind: text })),
        description: 'Kinds that neither the cluster serves nor a CRD of the chart defines',
      },
      permissions: {
        ...list(object({ group: text, resource: text, name: text, verbs: list(text) }, ['group', 'resource', 'verbs'])),
        description: 'What the deployer of environments may not do; absent when the caller may not read its role',
      },
      permissionRules: {
        ...list(
          object({ apiGroups: list(text), resources: list(text), verbs: list(text), resourceNames: list(text) }, [
            'apiGroups',
            'resources',
            'verbs',
          ]),
        ),
        description: 'For `spec.permissions`: what grants them, as far as an AppDefinition can; absent with `permissions`',
      },
      accounts: {
        ...list(object({ account: text, workload: text, powers: list(text) })),
        description: 'Service accounts whose pods the policy of environments rejects',
      },
    },
    ['outside', 'crds', 'unserved', 'accounts'],
  ),
  ChartPreview: object(
    PREVIEW,
    Object.keys(PREVIEW).filter((name) => name !== 'scopeDefaults' && name !== 'changelog'),
  ),
};
