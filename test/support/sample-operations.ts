import type { Choices } from '../../src/domain/app/choices.ts';
import { AppError, type MissingPermission } from '../../src/domain/core/errors.ts';
import { deletionCommands } from '../../src/domain/instance/instance-commands.ts';
import type { InstanceView, Preflight } from '../../src/domain/instance/instance.ts';
import { joinFindings, type Finding, type Findings } from '../../src/domain/preflight/findings.ts';
import { remedyFor } from '../../src/domain/preflight/remedy.ts';
import type { ValueChange } from '../../src/domain/values/value-change.ts';
import type { Facet } from '../../src/operation/app/list-apps.ts';
import type { InstanceAddress } from '../../src/operation/instance/find-instance.ts';
import type { InstanceDraft } from '../../src/operation/instance/instance-draft.ts';
import type { InstanceMigration } from '../../src/operation/instance/preview-migration.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { yamlText } from '../../src/web/page/yaml-text.ts';
import { SAMPLE_ACCESS_TOKEN_OPERATIONS } from './sample-access-tokens.ts';
import { SAMPLE_APP_DEFINITION_OPERATIONS } from './sample-app-definitions.ts';
import { sampleApp, SAMPLE_APPS } from './sample-apps.ts';
import { sampleMigration } from './sample-migration.ts';
import { SAMPLE_ENVIRONMENT_OPERATIONS } from './sample-environments.ts';
import { SAMPLE_KUBECTL_OPERATIONS } from './sample-kubectl.ts';
import { SAMPLE_PERMISSION_OPERATIONS } from './sample-permissions.ts';
import { SAMPLE_OPERATOR_READS } from './sample-operators.ts';
import { SAMPLE_RELEASE_OPERATIONS } from './sample-releases.ts';
import { SAMPLE_SOURCE_OPERATIONS } from './sample-sources.ts';
import { SAMPLE_SAVED_CONFIGURATION_OPERATIONS } from './sample-saved-configurations.ts';
import { draftsOf } from './sample-drafts.ts';
import { sampleChangeRequests } from './sample-change-requests.ts';
import { SAMPLE_ENVIRONMENTS, SAMPLE_FAULTS, sampleEvents, sampleInstances, sampleLogs, sampleTree } from './sample-instances.ts';
import { sampleBoard, sampleResources, sampleStatus } from './sample-resources.ts';
import { SAMPLE_PROPOSAL_OPERATIONS } from './sample-proposals.ts';
import { SAMPLE_RESOURCE_OPERATIONS } from './sample-resource.ts';
import { sampleTierBoard } from './sample-tier-board.ts';
import { sampleWorkloads } from './sample-workloads.ts';
import type { CopyInput } from '../../src/operation/instance/copy-instance.ts';
import type { InstanceChange } from '../../src/operation/instance/instance-change.ts';
import type { ReleaseHistory } from '../../src/operation/instance/release-revisions.ts';
import { sampleReleaseHistory, sampleReleaseRevision } from './sample-release-revisions.ts';
import type { DeletedInstanceView } from '../../src/operation/instance/deleted-instances.ts';
import type { InstanceHistory, RevisionInput } from '../../src/operation/instance/instance-history.ts';
import { sampleDeployment, sampleDeployments } from './sample-deployments.ts';
import { sampleManuals } from './sample-manual.ts';
import { sampleMetrics } from './sample-metrics.ts';
import { sampleConnection } from './sample-connections.ts';
import { sampleTimeline } from './sample-timeline.ts';
import { sampleAuditLogPage } from './sample-audit-log.ts';

/** What the pages show while they are developed and checked for looks and accessibility. The journeys run on a real cluster. */
export function sampleOperations(overrides: Partial<Operations> = {}): Operations {
  const operations: Operations = {
    ...READS,
    ...WRITES,
    ...SAMPLE_ENVIRONMENT_OPERATIONS,
    ...SAMPLE_PERMISSION_OPERATIONS,
    ...SAMPLE_ACCESS_TOKEN_OPERATIONS,
    ...SAMPLE_KUBECTL_OPERATIONS,
    ...SAMPLE_OPERATOR_READS,
    ...SAMPLE_RELEASE_OPERATIONS,
    ...SAMPLE_RESOURCE_OPERATIONS,
    ...SAMPLE_SAVED_CONFIGURATION_OPERATIONS,
    ...SAMPLE_SOURCE_OPERATIONS,
    ...SAMPLE_APP_DEFINITION_OPERATIONS,
    ...SAMPLE_PROPOSAL_OPERATIONS,
    ...CHANGE_REQUESTS,
    follow: () => operations,
    ...overrides,
  };
  return operations;
}

/** An instance of a chart that left a claim. */
const SAMPLE_DELETED: DeletedInstanceView = {
  id: '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
  environment: 'team-a',
  app: SAMPLE_APPS[0]?.id ?? '',
  appName: SAMPLE_APPS[0]?.displayName ?? '',
  name: 'old-orders',
  version: '1.2.0',
  deleted: '2026-11-25T09:30:00Z',
  deletedBy: 'oidc:dev-a',
  expires: '2026-12-02T09:30:00Z',
  claims: ['data-old-orders-0'],
  valuesFrom: ['Secret old-orders-password'],
  sensitiveValues: true,
};

const NO_RIGHT = { verb: 'list', group: 'operatorcontroller.kubeplus', resource: 'operators' };
const isAdmin = (groups: readonly string[]): boolean => groups.includes('oidc:platform');

const READS: Omit<
  Operations,
  | 'follow'
  | keyof typeof WRITES
  | keyof typeof CHANGE_REQUESTS
  | keyof typeof SAMPLE_ENVIRONMENT_OPERATIONS
  | keyof typeof SAMPLE_PERMISSION_OPERATIONS
  | keyof typeof SAMPLE_ACCESS_TOKEN_OPERATIONS
  | keyof typeof SAMPLE_KUBECTL_OPERATIONS
  | keyof typeof SAMPLE_OPERATOR_READS
  | keyof typeof SAMPLE_PROPOSAL_OPERATIONS
  | keyof typeof SAMPLE_RELEASE_OPERATIONS
  | keyof typeof SAMPLE_RESOURCE_OPERATIONS
  | keyof typeof SAMPLE_SAVED_CONFIGURATION_OPERATIONS
  | keyof typeof SAMPLE_SOURCE_OPERATIONS
  | keyof typeof SAMPLE_APP_DEFINITION_OPERATIONS
> = {
  me: async ({ user, groups }) => ({ user, groups, admin: isAdmin(groups) }),
  listApps: async (_actor, query) => {
    const found = SAMPLE_APPS.filter((app) =>
      `${app.displayName} ${app.kind} ${app.summary}`.toLowerCase().includes(query.search.toLowerCase()),
    );
    const among = (values: readonly string[], value: string): boolean => values.length === 0 || values.includes(value);
    const apps = found.filter(
      (app) => among(query.category, app.category) && among(query.provider, app.provider) && among(query.availability, app.availability),
    );
    const facets = {
      category: count(found.map((app) => app.category)),
      provider: count(found.map((app) => app.provider)),
      availability: count(found.map((app) => app.availability)),
    };
    return { apps, facets, total: SAMPLE_APPS.length };
  },
  listAuditEvents: async ({ groups }, query) => (isAdmin(groups) ? sampleAuditLogPage(query) : reject()),
  showApp: async (_actor, id) => sampleApp(id) ?? missing(`app ${JSON.stringify(id)}`),
  showForm: async () => missing('form'),
  ...sampleManuals((id) => sampleApp(id) ?? missing(`app ${JSON.stringify(id)}`)),
  showComposition: async (_actor, { kind }) => missing(`kind ${kind}`),
  installTargets: async (_actor, id) => ({
    app: sampleApp(id) ?? missing(`app ${JSON.stringify(id)}`),
    chartVersions: [],
    targets: SAMPLE_ENVIRONMENTS.map((environment) => ({ environment, permissions: rightsIn(environment.name), allowed: true })),
  }),
  listEnvironments: async () => SAMPLE_ENVIRONMENTS,
  listDeployments: async (_actor, environment) => sampleDeployments(environment),
  listEnvironmentWorkloads: async (_actor, { environment, ...filter }) => sampleBoard(environment, filter),
  showTierBoard: async (_actor, filter) => sampleTierBoard(filter),
  showEnvironmentStatus: async (_actor, { environment }) => sampleStatus(environment),
  showEnvironmentMetrics: async (_actor, { environment, range }) => ({
    environment: SAMPLE_ENVIRONMENTS.find((one) => one.name === environment) ?? missing(`environment ${JSON.stringify(environment)}`),
    ...(environment === 'shop' ? { ...sampleMetrics(range), configured: false, charts: [] } : sampleMetrics(range)),
  }),
  listInstances: async (_actor, name) => ({
    instances: name === 'team-a' ? sampleInstances(name) : [],
    unreadable: name === 'shop' ? ['Cache'] : [],
    unavailable: [],
  }),
  listEnvironmentResources: async (_actor, { environment, ...filter }) => sampleResources(environment, filter),
  instancePermissions: async (_actor, { environment }) => ({ ...rightsIn(environment), update: environment === 'team-a', delete: true }),
  showInstance: async (_actor, address) => find(address),
  listDeletedInstances: async (_actor, { environment }) => ({ items: environment === 'team-a' ? [SAMPLE_DELETED] : [], missing: [] }),
  restoreOf: async (_actor, { environment }) => ({ environment, app: SAMPLE_DELETED.app, name: SAMPLE_DELETED.name, spec: {} }),
  preflightRestore: async () => missing('deleted instance'),
  restoreInstance: async () => missing('deleted instance'),
  revealValue: async (_actor, { path }) => ({ path, value: 'hunter2' }),
  showConnection: async (_actor, { name }) => sampleConnection(name),
  revealConnectionKey: async (_actor, { key }) => ({ key, value: 'correct-horse', encoding: 'utf-8' }),
  showTimeline: async (_actor, input) => sampleTimeline(input),
  showTree: async (_actor, address) => sampleTree(find(address)),
  listEvents: async (_actor, address) => sampleEvents(find(address)),
  listWorkloads: async (_actor, address) => sampleWorkloads(find(address)),
  showLogs: async (_actor, address) => sampleLogs(find(address), address),
  readInstance: async (_actor, address) => {
    const instance = find(address);
    return { instance, tree: sampleTree(instance), workloads: sampleWorkloads(instance), events: sampleEvents(instance) };
  },
  listChoices: async (_actor, { resources }) => resources.map(sampleChoices),
  listFaults: async ({ groups }) => (isAdmin(groups) ? SAMPLE_FAULTS : reject()),
  listDrafts: async ({ groups }, operator) => (isAdmin(groups) ? draftsOf(operator) : reject()),
  listOperatorDrafts: async ({ groups }, operator) => (isAdmin(groups) ? draftsOf(operator) : []),
  countDrafts: async ({ groups }) => (isAdmin(groups) ? draftsOf().length : 0),
};

const WRITES = {
  reportDeployment: async () => sampleDeployment({}),
  preflightInstance: async (_actor: unknown, draft: InstanceDraft): Promise<Preflight> => preflight(draft),
  createInstance: async (_actor: unknown, draft: InstanceDraft): Promise<InstanceView> => find({ ...draft, name: 'orders' }),
  preflightChange: async (_actor: unknown, draft: InstanceDraft): Promise<Preflight> => preflight(draft),
  updateInstance: async (_actor: unknown, draft: InstanceDraft): Promise<InstanceView> => find(draft),
  previewInstanceMigration: async (_actor: unknown, address: InstanceAddress): Promise<InstanceMigration> => sampleMigration(find(address)),
  preflightDeletion: async (_actor: unknown, address: InstanceAddress): Promise<Preflight> => deletion(address),
  deleteInstance: async (): Promise<void> => undefined,
  requestReinstallation: async (_actor: unknown, address: InstanceAddress): Promise<InstanceView> => find(address),
  forgetRelease: async (_actor: unknown, address: InstanceAddress): Promise<InstanceView> => find(address),
  requestInstanceTest: async () => await Promise.reject(new Error('no tests in samples')),
  copyOf: async (_actor: unknown, { to, ...from }: CopyInput): Promise<InstanceDraft> => ({ ...from, ...to, spec: {} }),
  promotionOf: async (_actor: unknown, { to, ...from }: CopyInput): Promise<InstanceChange> => ({ ...from, ...to, spec: {} }),
  setInstanceSleep: async (_actor: unknown, address: InstanceAddress): Promise<InstanceView> => find(address),
  listReleaseRevisions: async (_actor: unknown, { name }: InstanceAddress): Promise<ReleaseHistory> => sampleReleaseHistory(name),
  showReleaseRevision: async (_actor: unknown, { revision }: { readonly revision: number }) => sampleReleaseRevision(revision),
  listRevisions: async (_actor: unknown, { environment, name }: InstanceAddress): Promise<InstanceHistory> =>
    sampleHistory(environment, name),
  preflightRollback: async (_actor: unknown, address: InstanceAddress): Promise<Preflight> => preflight({ ...address, spec: {} }),
  rollbackInstance: async (_actor: unknown, address: InstanceAddress): Promise<InstanceView> => find(address),
  rollbackOf: async (
    _actor: unknown,
    { revision = 2, ...address }: RevisionInput,
  ): Promise<InstanceChange & { readonly revision: number }> => ({
    ...address,
    spec: { instances: 1 },
    revision,
  }),
};

function sampleHistory(environment: string, name: string): InstanceHistory {
  if (environment !== 'team-a')
    return { revisions: [], missing: [{ verb: 'get', group: '', resource: 'secrets', namespace: environment }] };
  if (name !== 'orders') return { revisions: [], missing: [] };
  const content = { spec: { instances: 1 } };
  const of = { user: 'oidc:dev-a', version: 'v1', content };
  return {
    revisions: [
      { ...of, revision: 2, replaced: '2026-11-21T11:58:00Z', changes: SAMPLE_CHANGES },
      { ...of, revision: 1, replaced: '2026-11-20T09:30:00Z', changes: [] },
    ],
    missing: [],
  };
}

const SAMPLE_CHANGES: readonly ValueChange[] = [
  { path: 'spec.instances', from: 1, to: 3, layer: 'you', secret: false },
  { path: 'spec.password', to: '[secret]', layer: 'you', secret: true },
  { path: 'spec.storage.className', to: 'fast', layer: 'environment', secret: false },
  ...Array.from({ length: 22 }, (_, row): ValueChange => {
    const name = `team-${row + 1}`;
    return { path: `spec.users[name=${name}].name`, to: name, layer: 'you', secret: false };
  }),
];

const CHANGE_REQUESTS = sampleChangeRequests(
  (name) => preflight({ environment: 'shop', app: 'postgresclusters.samples.chandlery.dev', name, spec: { instances: 3 } }),
  () => find({ environment: 'team-a', app: '', name: 'orders' }),
);

/** A name of `blocked` is rejected as by permissions, one of `wrong` for a field. */
function preflight({ name, environment, spec }: InstanceDraft): Preflight {
  const object = { apiVersion: 'samples.chandlery.dev/v1', kind: 'PostgresCluster', metadata: { name, namespace: environment }, spec };
  const permission = { verb: 'create', group: 'samples.chandlery.dev', resource: 'postgresclusters', namespace: environment };
  const yaml = yamlText(object);
  return {
    verdict: name === 'blocked' || name === 'wrong' ? 'Blocked' : 'Ready',
    object,
    warnings: ['spec.version "15" is deprecated: it ends next year.'],
    findings: sampleFindings(name, permission),
    remedies:
      name === 'blocked' ? [remedyFor({ user: 'oidc:dev-a', permission, apps: new Set(['postgresclusters.samples.chandlery.dev']) })] : [],
    faults: name === 'wrong' ? [{ field: 'spec.storage.size', message: 'must be a quantity such as 10Gi' }] : [],
    missing: name === 'blocked' ? [permission] : [],
    changes: SAMPLE_CHANGES,
    commands: {
      yaml,
      file: `${environment}/postgresclusters/${name}.yaml`,
      kubectl: `kubectl apply -f - <<'EOF'\n${yaml}EOF`,
      curl: `curl --fail http://localhost:8080/api/v1/environments/${environment}/instances`,
    },
  };
}

function deletion({ environment, name }: InstanceAddress): Preflight {
  const line = (message: string, subject: Finding['subject']): Finding => ({ message, subject, evidence: 'exact' });
  const removed = [
    line(`PostgresCluster ${name}`, 'Object'),
    line(`Pod ${name}-0, ${name}-1, ${name}-2`, 'Object'),
    line(`PersistentVolumeClaim data-${name}-0 (10Gi): its data will be deleted`, 'Data'),
  ];
  const app = 'postgresclusters.samples.chandlery.dev';
  const planned = preflight({ environment, app, name, spec: {} });
  const commands = deletionCommands(planned.object, { app, url: '' });
  return { ...planned, commands, findings: { ...joinFindings([]), removed } };
}

/** A name of `huge` takes more than the namespace lets a container have. */
function sampleFindings(name: string, { namespace, verb }: MissingPermission): Findings {
  const line = (message: string, subject: Finding['subject'], evidence: Finding['evidence'] = 'exact'): Finding => ({
    message,
    subject,
    evidence,
  });
  const huge = line('spec.memory: pods will be rejected: memory 8Gi is above the limit of 4Gi', 'LimitRange', 'estimate');
  const rejected = name === 'wrong' ? 'spec.storage.size: must be a quantity such as 10Gi' : `You may not ${verb} it`;
  const blocked = name === 'blocked' || name === 'wrong';
  return {
    ...joinFindings([]),
    created: blocked ? [] : [line(`PostgresCluster ${name} in the namespace ${namespace ?? ''}`, 'Object')],
    warned: [line('spec.version "15" is deprecated: it ends next year.', 'Policy'), ...(name === 'huge' ? [huge] : [])],
    blocked: blocked ? [line(rejected, name === 'wrong' ? 'Validation' : 'Permission')] : [],
  };
}

function rightsIn(environment: string): { create: boolean; update: boolean; delete: boolean } {
  const may = environment === 'team-a';
  return { create: may, update: may, delete: may };
}

function find({ environment, name }: InstanceAddress): InstanceView {
  return sampleInstances(environment).find((one) => one.name === name) ?? missing(`PostgreSQL ${JSON.stringify(name)}`);
}

function count(values: readonly string[]): Facet[] {
  return [...new Set(values)].toSorted().map((value) => ({ value, count: values.filter((one) => one === value).length }));
}

function missing(what: string): never {
  throw new AppError('NotFound', `${what}: there is none of this name that you may see`);
}

function reject(): never {
  throw new AppError('Forbidden', 'operators: you may not list them', { missing: NO_RIGHT });
}

/** Secrets with keys; nobody may list storage classes. */
function sampleChoices(resource: string): Choices {
  const missing = { verb: 'list', group: 'storage.k8s.io', resource: 'storageclasses' };
  if (resource !== 'secrets') return { resource, items: [], truncated: false, served: true, missing };
  return { resource, items: [{ name: 'orders-db', keys: ['password', 'username'] }], truncated: false, served: true };
}
