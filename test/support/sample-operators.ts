import { sampleMetrics } from './sample-metrics.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import { deletionPreview } from '../../src/domain/operator/deletion.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { helmCommand } from '../../src/domain/operator/operator-commands.ts';
import { commandsFor } from '../../src/domain/instance/instance-commands.ts';
import type { Preflight } from '../../src/domain/instance/instance.ts';
import { joinFindings, type Finding } from '../../src/domain/preflight/findings.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { InstanceCount, OperatorInstance } from '../../src/domain/operator/operator-instances.ts';
import { filterOperators } from '../../src/domain/operator/operator-list.ts';
import { problemsOf } from '../../src/domain/operator/operator-problems.ts';
import { parseOperatorSpec } from '../../src/domain/operator/operator-spec.ts';
import type { OperatorView } from '../../src/domain/operator/operator.ts';
import type { OperatorTree, UnavailableKind } from '../../src/domain/tree/tree.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { node, SAMPLE_FAULTS } from './sample-instances.ts';
import { SAMPLE_UPGRADES } from './sample-upgrade.ts';

const CREATED = '2026-11-18T09:30:00Z';
const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const FINE = { status: 'Healthy', message: '' } as const;

const condition = (type: string, status: 'True' | 'False', message: string, reason = type): OperatorView['conditions'][number] => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: CREATED,
});

const BARE = {
  category: 'Databases',
  crds: [],
  history: [],
  conditions: [],
  deletionPolicy: 'Block',
  suspended: false,
  created: CREATED,
  message: '',
  etag: '"uid.4711"',
} as const satisfies Partial<OperatorView>;

const digestOf = (seed: string): string => `sha256:${seed.repeat(8)}`;

/** One that works, one whose chart is away, one that is deleted, one whose workload is sick, one that is suspended. */
export const SAMPLE_OPERATORS: readonly OperatorView[] = [
  {
    ...BARE,
    namespace: 'chandlery-system',
    name: 'postgres-operator',
    displayName: 'PostgreSQL',
    source: 'catalog',
    status: 'READY',
    chart: {
      address: 'file://charts',
      name: 'postgres-operator',
      version: '1.4.0',
      appVersion: '17.2',
      digest: digestOf('5f3a9c1e'),
      availableVersion: '1.5.0',
    },
    pendingUpgrade: { version: '1.5.0', reason: 'OutsideWindow', opensAt: '2026-11-22T02:00:00Z' },
    values: [
      { path: 'auth.password', origin: 'Secret db key password' },
      { path: 'replicas', origin: 'spec.values' },
      { path: 'resources.limits.memory', origin: 'ConfigMap defaults key values.yaml' },
      { path: 'resources.requests.memory', origin: 'ConfigMap defaults key values.yaml' },
    ],
    release: { name: 'postgres-operator', namespace: 'chandlery-system', revision: 3, status: 'deployed' },
    crds: [{ name: POSTGRES, kind: 'PostgresCluster', origin: 'crds', established: true }],
    history: [
      {
        revision: 3,
        chart: 'postgres-operator',
        version: '1.4.0',
        appVersion: '17.2',
        digest: '',
        time: CREATED,
        status: 'deployed',
        healthy: true,
        tested: true,
      },
      {
        revision: 2,
        chart: 'postgres-operator',
        version: '1.3.9',
        digest: '',
        time: CREATED,
        status: 'rolled-back',
        healthy: false,
        rolledBackTo: 1,
      },
      { revision: 1, chart: 'postgres-operator', version: '1.3.0', digest: '', time: CREATED, status: 'superseded', healthy: true },
    ],
    conditions: [
      condition('Fetched', 'True', 'Chart postgres-operator 1.4.0 was read.'),
      condition('Ready', 'True', 'The release is installed and its kinds are served.'),
    ],
  },
  {
    ...BARE,
    namespace: 'default',
    name: 'queue-operator',
    displayName: '',
    category: 'Messaging',
    status: 'ERROR',
    message: 'chart "https://charts.example.test/queue-0.1.0.tgz": cannot be fetched: the server answers 404',
    chart: { address: 'https://charts.example.test/queue-0.1.0.tgz' },
    conditions: [condition('Fetched', 'False', 'The server answers 404.', 'NotFound')],
  },
  {
    ...BARE,
    namespace: 'chandlery-system',
    name: 'cache-operator',
    displayName: 'Cache',
    category: 'Caches',
    status: 'DELETING',
    message: '2 instances: Cache team-a/sessions, Cache team-b/carts',
    chart: { address: 'file://charts', name: 'cache-operator', version: '0.1.0' },
    release: { name: 'cache-operator', namespace: 'cache-system', revision: 1, status: 'deployed' },
    crds: [{ name: 'caches.samples.chandlery.dev', kind: 'Cache', origin: 'template', established: true, instances: 2 }],
    deletion: deletionPreview({
      policy: 'Block',
      released: true,
      deletion: {
        instances: 2,
        blockers: [
          {
            kind: 'Cache',
            namespace: 'team-a',
            name: 'sessions',
            finalizers: ['samples.chandlery.dev/cleanup'],
            heldBy: ['cache-operator'],
            since: '2026-11-21T11:30:00Z',
          },
          { kind: 'Cache', namespace: 'team-b', name: 'carts', finalizers: [], heldBy: [] },
        ],
      },
    }),
    conditions: [condition('Deletable', 'False', '2 instances: Cache team-a/sessions, Cache team-b/carts', 'InstancesExist')],
  },
  {
    ...BARE,
    namespace: 'monitoring',
    name: 'metrics-operator',
    displayName: 'Metrics',
    category: 'Monitoring',
    status: 'ERROR',
    message: 'Deployment metrics-operator: 0 of 1 pods are ready',
    deletionPolicy: 'Cascade',
    chart: { address: 'file://charts', name: 'metrics-operator', version: '2.0.1' },
    release: { name: 'metrics-operator', namespace: 'monitoring', revision: 12, status: 'deployed' },
    crds: [{ name: 'metrics.example.test', kind: 'Metric', origin: 'crds', established: true }],
    conditions: [condition('Healthy', 'False', 'Deployment metrics-operator: 0 of 1 pods are ready', 'Degraded')],
  },
  {
    ...BARE,
    namespace: 'monitoring',
    name: 'logs-operator',
    displayName: 'Logs',
    category: 'Monitoring',
    status: 'READY',
    suspended: true,
    chart: { address: 'file://charts', name: 'logs-operator', version: '0.9.0' },
  },
];

const NAMES = ['redis', 'kafka', 'mongo', 'vault', 'nats', 'minio', 'grafana', 'loki', 'tempo', 'argo'];

/** As many as an admin of a large site has: most of them well, a few not. */
export function manyOperators(count: number): OperatorView[] {
  return Array.from({ length: count }, (_unused, index) => {
    const name = `${NAMES[index % NAMES.length] ?? ''}-operator-${index}`;
    const status = index % 41 === 7 ? 'ERROR' : index % 29 === 3 ? 'INSTALLING' : 'READY';
    const message = { ERROR: 'chart: cannot be fetched: the server answers 503', INSTALLING: 'Waiting for Deployment', READY: '' }[status];
    const chart = {
      address: 'https://charts.example.test',
      name,
      version: `1.${index}.0`,
      ...(index % 17 === 0 ? { availableVersion: '2.0.0' } : {}),
    };
    const kind = `Kind${index}`;
    const crds = [{ name: `${kind.toLowerCase()}s.example.test`, kind, origin: 'crds' as const, established: true }];
    return {
      ...BARE,
      namespace: 'operators',
      name,
      displayName: '',
      category: index % 2 === 0 ? 'Databases' : 'Messaging',
      status,
      message,
      chart,
      crds,
    };
  });
}

/** `objects` Deployments with a ReplicaSet and a Pod each; the first one is sick when asked for. */
export function sampleOperatorTree(objects = 1, health: 'well' | 'sick' = 'well'): OperatorTree {
  const deployments = Array.from({ length: objects }, (_unused, index) => {
    const sick = health === 'sick' && index === 0;
    const state = (message: string): { health: OperatorTree['health'] } => ({ health: sick ? { status: 'Degraded', message } : FINE });
    const pod = node('Pod', `operator-${index}-7c9f-x2x`, {
      ...state('it cannot be scheduled: insufficient memory'),
      info: sick ? '' : 'node-0',
    });
    const set = node('ReplicaSet', `operator-${index}-7c9f`, { ...state('0 of 1 pods are ready'), children: [pod] });
    return node('Deployment', `operator-${index}`, {
      ...state('0 of 1 pods are ready'),
      info: sick ? '0/1 ready' : '1/1 ready',
      children: [set],
    });
  });
  const rest = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition'].map((kind) =>
    node(kind, 'operator', {}),
  );
  const root = node('Operator', 'postgres-operator', { health: FINE, children: [...rest, ...deployments] });
  return {
    root,
    count: 5 + objects * 3,
    health: FINE,
    causes: [],
    addresses: [],
    unreadable: ['Secret', 'Lease'],
    unavailable: [],
    namespace: 'chandlery-system',
  };
}

const INSTANCES: readonly OperatorInstance[] = [
  {
    app: POSTGRES,
    kind: 'PostgresCluster',
    namespace: 'team-a',
    environment: 'team-a',
    name: 'orders',
    created: CREATED,
    finalizers: ['samples.chandlery.dev/backup'],
  },
  {
    app: POSTGRES,
    kind: 'PostgresCluster',
    namespace: 'team-a',
    environment: 'team-a',
    name: 'reports',
    created: CREATED,
    deletingSince: '2026-11-21T11:00:00Z',
    finalizers: [],
  },
  { app: POSTGRES, kind: 'PostgresCluster', namespace: 'scratch', name: 'try', created: CREATED, finalizers: [] },
];

/** Of the logs Operator: its conversion webhook does not answer. */
const UNLISTED: readonly UnavailableKind[] = [
  {
    kind: 'LogStore',
    apiVersion: 'example.test/v2',
    message:
      'The conversion webhook of the CustomResourceDefinition logstores.example.test does not answer: service "logs-converter" not found',
  },
];

/** The admin's operations over the samples; everybody else is rejected. */
export const SAMPLE_OPERATOR_READS = {
  ...SAMPLE_UPGRADES,
  approveUpgrade: async (actor, input) => {
    await SAMPLE_UPGRADES.approveUpgrade(actor, input);
    return find(actor, input);
  },
  listOperators: async (actor, filter) => filterOperators(asAdmin(actor, SAMPLE_OPERATORS), filter),
  countInstances: async (_actor, names) =>
    new Map(
      names.map((name): [string, InstanceCount] =>
        name === 'metrics.example.test'
          ? [name, { missing: { verb: 'list', group: 'example.test', resource: 'metrics' } }]
          : [name, { count: 3 }],
      ),
    ),
  showOperator: async (actor, address) => find(actor, address),
  showOperatorMetrics: async (_actor, { range }) => sampleMetrics(range),
  showOperatorLogs: async () => ({ namespace: 'postgres-operator', pods: [], lines: [], notices: [], more: 0 }),
  showReleaseNotes: async (actor, address) => {
    const { name, namespace } = find(actor, address);
    const helm = `helm get notes ${name} --namespace ${namespace}`;
    const record = { verb: 'get', group: '', resource: 'secrets', namespace, name: `sh.helm.release.v1.${name}.v1` };
    if (name !== 'postgres-operator') return { notes: '', revision: 1, missing: [record], helm };
    const notes = `The operator ${name} is installed.\n\n  <b>kubectl</b> get postgresclusters --all-namespaces`;
    return { notes, revision: 3, missing: [], helm };
  },
  showOperatorTree: async (actor, address) =>
    address.name === 'queue-operator'
      ? {
          ...sampleOperatorTree(0),
          root: node('Operator', 'queue-operator', {}),
          count: 1,
          missing: { verb: 'list', group: 'apps', resource: 'deployments', namespace: 'default' },
        }
      : sampleOperatorTree(1, find(actor, address).status === 'ERROR' ? 'sick' : 'well'),
  listOperatorEvents: async (actor, address) => {
    const { name } = find(actor, address);
    const warning = {
      type: 'Warning',
      reason: 'FailedScheduling',
      message: '0/1 nodes are available: insufficient memory.',
      kind: 'Pod',
      name: `${name}-7c9f-x2x`,
      count: 12,
      firstSeen: CREATED,
      lastSeen: CREATED,
      resolved: false,
    } as const;
    const normal = {
      type: 'Normal',
      reason: 'Deployed',
      message: `Chart ${name} 1.4.0 is revision 3`,
      kind: 'Operator',
      name,
      count: 1,
      firstSeen: CREATED,
      lastSeen: CREATED,
      resolved: false,
    } as const;
    const missing = name === 'queue-operator' ? [{ verb: 'list', group: '', resource: 'events', namespace: 'default' }] : [];
    return { events: name === 'queue-operator' ? [] : [warning, normal], missing };
  },
  listOperatorInstances: async (actor, address) => {
    if (address.name === 'logs-operator') return { instances: [], missing: [], unavailable: UNLISTED };
    return { instances: find(actor, address).status === 'READY' ? INSTANCES : [], missing: [], unavailable: [] };
  },
  listOperatorProblems: async (_actor, { operator }) =>
    problemsOf({
      operator,
      faults: SAMPLE_FAULTS,
      ...(operator.name === 'metrics-operator' ? { tree: sampleOperatorTree(1, 'sick') } : {}),
    }),
  previewOperatorDeletion: async (actor, address) => {
    const { deletion, deletionPolicy: policy } = find(actor, address);
    if (deletion !== undefined) return { ...deletion, state: 'Deleting', missing: [] };
    const unavailable = address.name === 'logs-operator' ? { unavailable: UNLISTED } : {};
    const found = address.name === 'logs-operator' ? [] : INSTANCES;
    const blockers = found.map(({ kind, namespace = '', name, finalizers }) => ({ kind, namespace, name, finalizers, heldBy: [] }));
    return {
      ...deletionPreview({ policy, released: true, deletion: { instances: blockers.length, blockers, ...unavailable } }),
      state: 'Preview',
      missing: [],
    };
  },
  operatorPermissions: async (_actor, { namespace, name }) => {
    if (name !== 'logs-operator') return {};
    const permission = { group: 'operatorcontroller.kubeplus', resource: 'operators', namespace, name };
    return { patch: { verb: 'patch', ...permission }, delete: { verb: 'delete', ...permission } };
  },
  requestOperatorAction: async (actor, address) => find(actor, address),
  preflightOperator: async (_actor, operator) => sampleOperatorCheck(operator),
  createOperator: async (actor) => find(actor, { name: 'queue-operator' }),
  deleteOperator: async () => undefined,
} satisfies Partial<Operations>;

/** A name of `blocked` cannot be installed. */
function sampleOperatorCheck(object: KubeObject): Preflight {
  const blocked = object.metadata.name === 'blocked';
  const line = (message: string): Finding => ({ message, subject: 'Object', evidence: 'exact' });
  const findings = blocked
    ? { ...joinFindings([]), blocked: [line('The kind caches.samples.chandlery.dev belongs to the Operator chandlery-system.cache')] }
    : { ...joinFindings([]), created: [line('The kind queues.example.test'), line('Deployment queue-operator')] };
  const { namespace = 'default', name } = object.metadata;
  const commands = {
    ...commandsFor(object, { method: 'POST', url: 'http://localhost:8080/api/v1/operators', body: object }),
    file: `operators/${name}.yaml`,
    helm: helmCommand({ namespace, spec: parseOperatorSpec(object), legacy: 1 }),
  };
  const shared = { object, warnings: [], faults: [], missing: [], remedies: [], changes: [], commands };
  return { ...shared, verdict: blocked ? 'Blocked' : 'Ready', findings };
}

function asAdmin<T>({ groups }: Actor, what: T): T {
  if (groups.includes('oidc:platform')) return what;
  const missing = { verb: 'list', group: 'operatorcontroller.kubeplus', resource: 'operators' };
  throw new AppError('Forbidden', 'operators: you may not list them', { missing });
}

function find(actor: Actor, { name }: { readonly name: string }): OperatorView {
  const found = asAdmin(actor, SAMPLE_OPERATORS).find((one) => one.name === name);
  if (found === undefined) throw new AppError('NotFound', `operator ${JSON.stringify(name)}: there is none`);
  return found;
}
