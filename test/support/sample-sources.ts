import { AppError } from '../../src/domain/core/errors.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { sourceDeletion } from '../../src/domain/source/source-deletion.ts';
import { filterSources } from '../../src/domain/source/source-list.ts';
import { sourceView, type SourceView } from '../../src/domain/source/source-view.ts';
import { CATALOG_SOURCE_KIND } from '../../src/domain/source/catalog-source.ts';
import { restoreFiles } from '../../src/domain/source/restore-files.ts';
import { rollbackCommands } from '../../src/domain/source/rollback-commands.ts';
import { specOf } from '../../src/domain/kind/kind.ts';
import type { SourceRollback } from '../../src/operation/source/roll-back-source.ts';
import type { SourcePreview } from '../../src/operation/source/preview-source.ts';
import type { Operations } from '../../src/operation/operations.ts';
import type { OwnedResource } from '../../src/operation/source/list-source-inventory.ts';

const CREATED = '2026-11-18T09:30:00Z';
const SHA = '9f2c4a1b03d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3';
const REVISION = `main@sha1:${SHA}`;
const COMMIT = {
  author: 'Ada Min <ada@example.com>',
  message: 'Offer PostgreSQL 17\n\nVersion 16 stays until the teams have moved.',
  time: CREATED,
};
const git = (path: string): object => ({
  url: 'https://git.example.com/platform/catalog.git',
  ref: { branch: 'main' },
  path,
  secretRef: { name: 'catalog-git' },
});

interface Sample {
  readonly name: string;
  readonly spec: object;
  readonly ready: readonly ['True' | 'False', string, string];
  readonly status?: object;
}

function source({ name, spec, ready: [status, reason, message], status: more }: Sample): KubeObject {
  const condition = { status, reason, message, lastTransitionTime: CREATED };
  const stalled = status === 'False' && reason !== 'Suspended' ? [{ ...condition, type: 'Stalled', status: 'True' }] : [];
  return {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name, uid: 'uid', resourceVersion: '4711', generation: 1, creationTimestamp: CREATED },
    spec,
    status: { observedGeneration: 1, conditions: [{ ...condition, type: 'Ready' }, ...stalled], ...more },
  };
}

const owned = (file: string, kind: string, name: string, namespace?: string): object => ({
  file,
  apiVersion: kind === 'Operator' ? 'operatorcontroller.kubeplus/v1' : 'chandlery.dev/v1alpha1',
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
const INVENTORY = [
  owned('environments/team-a.yaml', 'Environment', 'team-a'),
  owned('operators/postgres.yaml', 'Operator', 'postgres-operator', 'chandlery-system'),
];
const history = (revision: string, outcome: string, message: string, more: object = {}): object => ({
  revision,
  time: CREATED,
  outcome,
  applied: outcome === 'Applied' ? 2 : 0,
  deleted: 0,
  message,
  ...more,
});
const EARLIER = `main@sha1:${'2b'.repeat(20)}`;
const EARLIER_FILES = `sha256:${'3c'.repeat(32)}`;

const FAULT = {
  file: 'operators/queue.yaml',
  line: 12,
  column: 5,
  resource: 'Operator default/queue-operator',
  message: 'spec.chart.verison is not a field of Operator; did you mean "version"?',
};
const PRUNE = `${REVISION} would remove 1 of 3 resources (Environment shop with the access of Group oidc:shop (developer) to 2 instances); everything else is live. To undo it, restore the documents.`;
const REMOVALS = [
  {
    resource: 'Environment shop',
    file: 'environments/shop.yaml',
    since: CREATED,
    revision: REVISION,
    loss: 'with the access of Group oidc:shop (developer) to 2 instances',
  },
  {
    resource: 'Operator default/queue',
    file: 'operators/queue.yaml',
    since: CREATED,
    revision: REVISION,
    removeAt: '2026-07-01T08:01:00Z',
  },
];
const DENIED =
  'git: https://git.example.com/platform/private.git: the host rejects the credentials, or asks for some; check the Secret in spec.git.secretRef';

/** One that works, one with faults, one that waits for an approval, one whose host rejects the credentials, one that is suspended. */
const OBJECTS: readonly KubeObject[] = [
  source({
    name: 'catalog',
    spec: { git: git('clusters/production') },
    ready: ['True', 'Synced', '2 resources of 2 files are live'],
    status: {
      revision: REVISION,
      lastAppliedRevision: REVISION,
      lastAppliedTime: CREATED,
      commit: COMMIT,
      inventory: INVENTORY,
      history: [
        history(REVISION, 'Applied', '2 resources of 2 files are live'),
        history(`main@sha1:${'1a'.repeat(20)}`, 'Failed', 'operators/postgres.yaml:3: spec.chart is missing'),
        history(EARLIER, 'Applied', '2 resources of 2 files are live', {
          added: 9,
          changed: 1,
          deleted: 1,
          resources: [
            { change: 'Added', resource: 'Environment team-a' },
            { change: 'Changed', resource: 'Operator chandlery-system/postgres-operator' },
            { change: 'Removed', resource: 'Operator default/queue' },
          ],
          subject: 'Offer queues no more',
          author: 'Ada Min <ada@example.com>',
        }),
      ],
    },
  }),
  source({
    name: 'laptop',
    spec: {
      folder: { path: '/home/ada/catalog' },
      interval: '1h30m',
      prune: false,
      allowedKinds: [
        { group: '', kind: 'ConfigMap' },
        { group: 'apps', kind: 'Deployment' },
        { group: 'samples.chandlery.dev', kind: '*' },
      ],
      mode: 'Namespaced',
      namespaces: ['team-a', 'shop'],
      serviceAccount: { namespace: 'team-a', name: 'deployer' },
      owner: 'team-a',
      dependsOn: ['catalog'],
      wait: true,
    },
    ready: ['False', 'Invalid', `operators/queue.yaml:12: ${FAULT.message}; everything else is live`],
    status: {
      revision: `sha256:${'5f'.repeat(32)}`,
      inventory: INVENTORY,
      history: [history(EARLIER_FILES, 'Applied', '2 resources of 2 files are live', { added: 2, changed: 0, resources: [] })],
      faults: [FAULT, { file: '', line: 0, column: 0, message: 'the folder has 2100 YAML files, at most 2000 are allowed; split it' }],
    },
  }),
  source({
    name: 'moved',
    spec: { git: git('') },
    ready: ['False', 'PruneNotApproved', PRUNE],
    status: {
      revision: REVISION,
      commit: COMMIT,
      inventory: INVENTORY,
      pendingRemovals: REMOVALS,
      removals: REMOVALS.length,
      history: [history(REVISION, 'Waiting', PRUNE)],
    },
  }),
  source({
    name: 'private',
    spec: { git: { ...git(''), url: 'https://git.example.com/platform/private.git' } },
    ready: ['False', 'GitUnavailable', DENIED],
  }),
  source({
    name: 'resting',
    spec: { folder: { path: '/srv/old' }, suspend: true },
    ready: ['False', 'Suspended', 'The source is suspended'],
  }),
];
const SAMPLE_SOURCES = OBJECTS.map(sourceView);

const RESOURCES: readonly OwnedResource[] = [
  {
    file: 'environments/team-a.yaml',
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    name: 'team-a',
    state: 'Exists',
    health: { status: 'Healthy', message: '' },
    resource: 'environments.chandlery.dev',
    environment: 'team-a',
  },
  {
    file: 'operators/postgres.yaml',
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    namespace: 'chandlery-system',
    name: 'postgres-operator',
    state: 'Exists',
    health: { status: 'Degraded', message: 'The chart cannot be fetched' },
    resource: 'operators.operatorcontroller.kubeplus',
  },
  {
    file: 'operators/queue.yaml',
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    namespace: 'default',
    name: 'queue-operator',
    state: 'NotFound',
    resource: 'operators.operatorcontroller.kubeplus',
  },
  {
    file: 'secrets.yaml',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'default',
    name: 'registry',
    state: 'Unknown',
    missing: { verb: 'get', group: '', resource: 'secrets', namespace: 'default', name: 'registry' },
    resource: 'secrets',
  },
];

const forAdmins = ({ groups }: Actor): void => {
  if (groups.includes('oidc:platform')) return;
  const missing = { verb: 'list', group: 'chandlery.dev', resource: 'catalogsources' };
  throw new AppError('Forbidden', 'catalogsources: you may not list them', { missing });
};

const missing = (name: string): never => {
  throw new AppError('NotFound', `source ${JSON.stringify(name)}: it does not exist in the cluster`);
};
const sourceNamed = (name: string): SourceView => SAMPLE_SOURCES.find((one) => one.name === name) ?? missing(name);

/** The ref `broken` has a fault; the source `private` rejects the credentials. */
function samplePreview({ name, revision = 'sha256:0', serviceAccount }: SourceView, ref?: string): SourcePreview {
  if (name === 'private') throw new AppError('GitUnavailable', DENIED);
  const lines = [' spec:', '-  chart: 1.4.0', '+  chart: 1.5.0', '   password: "<masked: spec.password>"'];
  const object = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', namespace: 'chandlery-system', restarts: false };
  const removed = { file: 'environments/shop.yaml', apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', name: 'shop' } as const;
  return {
    name,
    runsAs: 'oidc:admin',
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    revision,
    commit: COMMIT,
    changes: [
      { ...object, name: 'postgres-operator', change: 'changed', labelsOnly: false, lines, omittedLines: 0 },
      { ...object, name: 'queue', change: 'added', labelsOnly: false, lines: ['+kind: Operator'], omittedLines: 12 },
    ],
    omitted: 0,
    unchanged: 7,
    removed:
      name === 'moved'
        ? [
            { ...removed, outcome: 'Deleted' },
            { ...removed, name: 'b', outcome: 'HandedOver' },
          ]
        : [],
    faults: ref === 'broken' ? [FAULT] : [],
    missing: [],
    awaitsApproval: name === 'moved',
  };
}

/** A folder has files to restore, a repository a merge request to open. */
function sampleRollback({ name, origin, history: entries }: SourceView, revision: string): SourceRollback {
  const entry = entries.find((one) => one.revision === revision) ?? missing(revision);
  const base = { name, origin, entry, current: false, withheld: [], patch: '', proposable: true };
  const spec = specOf(CATALOG_SOURCE_KIND, OBJECTS.find(({ metadata }) => metadata.name === name) ?? missing(name));
  const commands = rollbackCommands(spec, { name, revision });
  if (origin.kind !== 'Folder') return { ...base, commands };
  const queue = { file: 'operators/queue.yaml' };
  const { files } = restoreFiles(
    [{ ...queue, text: 'kind: Operator\nspec: {}\n' }],
    [{ ...queue, text: 'kind: Operator\nspec: {replicas: 2}\n' }],
  );
  return {
    ...base,
    files,
    withheld: ['operators/token.yaml'],
    patch: files.map(({ patch }) => patch).join(''),
    commands,
    proposable: false,
  };
}

/** Who may read `resting` may not write it. */
export const SAMPLE_SOURCE_OPERATIONS = {
  missingForNewSource: async () => undefined,
  createSource: async () => sourceNamed('catalog'),
  preflightSource: async (_actor, { metadata: { name } }) => missing(name),
  listSources: async (actor, filter) => {
    forAdmins(actor);
    return filterSources(SAMPLE_SOURCES, filter);
  },
  showSource: async (actor, { name }) => {
    forAdmins(actor);
    return sourceNamed(name);
  },
  previewSource: async (_actor, { name, ref }) => samplePreview(sourceNamed(name), ref),
  previewSourceRollback: async (_actor, { name, revision }) => sampleRollback(sourceNamed(name), revision),
  proposeSourceRollback: async () => {
    throw new AppError('ForgeUnavailable', 'forge: git.example.com: answered 503');
  },
  requestSourceAction: async (_actor, { name }) => sourceNamed(name),
  approvePrune: async (_actor, { name }) => sourceNamed(name),
  confirmOrigin: async (_actor, { name }) => sourceNamed(name),
  keepResource: async (_actor, { name }) => sourceNamed(name),
  keepDeleted: async () => undefined,
  deleteSource: async () => undefined,
  previewSourceDeletion: async (_actor, { name }) => sourceDeletion(OBJECTS.find((one) => one.metadata.name === name) ?? missing(name)),
  sourcePermissions: async (_actor, { name }) =>
    name === 'resting'
      ? {
          patch: { verb: 'patch', group: 'chandlery.dev', resource: 'catalogsources', name },
          delete: { verb: 'delete', group: 'chandlery.dev', resource: 'catalogsources', name },
        }
      : {},
  listSourceInventory: async (_actor, { search, kind }) => {
    const items = RESOURCES.filter(
      (one) =>
        `${one.kind} ${one.name} ${one.file}`.includes(search) && (kind.length === 0 || kind.includes(`${one.apiVersion}/${one.kind}`)),
    );
    const kinds = [
      { kind: 'chandlery.dev/v1alpha1/Environment', count: 1 },
      { kind: 'operatorcontroller.kubeplus/v1/Operator', count: 2 },
    ];
    return { items, matches: items.length, total: RESOURCES.length, kinds };
  },
} satisfies Partial<Operations>;
