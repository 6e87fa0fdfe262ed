import type { EnvironmentView } from '../../src/domain/environment/environment.ts';
import type { HealthStatus } from '../../src/domain/health/health.ts';
import type { EventView, InstanceView } from '../../src/domain/instance/instance.ts';
import type { LogContainer } from '../../src/domain/instance/pod-log.ts';
import type { CatalogFault } from '../../src/domain/operator/operator.ts';
import type { LogQuery, LogView } from '../../src/operation/instance/show-logs.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../src/domain/tree/tree.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const CREATED = '2026-11-18T09:30:00Z';

export const SAMPLE_ENVIRONMENTS: readonly EnvironmentView[] = [
  {
    name: 'team-a',
    displayName: 'Team A',
    namespace: 'team-a',
    tier: 'development',
    overlay: [
      {
        app: 'postgresclusters.samples.chandlery.dev',
        values: { spec: { storage: { className: 'fast' }, version: '16' } },
        locked: ['spec.storage.className'],
      },
    ],
    groups: [
      { name: 'oidc:team-a', role: 'developer' },
      { name: 'oidc:platform', role: 'maintainer' },
    ],
    subjects: [{ kind: 'ServiceAccount', name: 'deploy', namespace: 'ci', role: 'developer' }],
    facts: [
      { label: 'Owner', value: 'team-a', format: 'text' },
      { label: 'Network', value: 'Isolated: ingress from its own pods; egress unrestricted', format: 'text' },
      { label: 'Expires', value: '2100-01-01T00:00:00Z', format: 'time' },
    ],
    ready: true,
    message: '',
    conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'The namespace is reserved.', lastTransitionTime: CREATED }],
  },
  {
    name: 'shop',
    displayName: 'Shop',
    namespace: 'shop-production',
    tier: 'production',
    overlay: [],
    facts: [],
    groups: [{ name: 'oidc:team-a', role: 'viewer' }],
    subjects: [],
    ready: false,
    message: 'The namespace is being reserved.',
    conditions: [],
  },
];

const NAMES: readonly (readonly [name: string, health: HealthStatus, message: string])[] = [
  ['orders', 'Healthy', ''],
  ['reports', 'Progressing', '1 of 3 servers is ready.'],
  ['archive', 'Degraded', 'Pod archive-0 cannot be scheduled: insufficient memory.'],
];

/** Three Instances in each environment: one healthy, one on its way, one in trouble. */
export function sampleInstances(environment: string): readonly InstanceView[] {
  return NAMES.map(([name, word, message]) => ({
    environment,
    app: APP,
    appName: 'PostgreSQL',
    kind: 'PostgresCluster',
    name,
    created: CREATED,
    health: { status: word, message },
    deleting: false,
    object: {
      apiVersion: 'samples.chandlery.dev/v1',
      kind: 'PostgresCluster',
      metadata: { name, namespace: environment, generation: 2, resourceVersion: '4711', uid: `uid-${name}` },
      spec: { instances: 3, storage: { size: '10Gi' } },
      status: { ready: 3 },
    },
    masked: [],
    conditions: [
      {
        type: 'Ready',
        status: word === 'Healthy' ? 'True' : 'False',
        reason: 'ServersReady',
        message: message === '' ? 'All 3 servers are ready.' : message,
        lastTransitionTime: CREATED,
      },
      ...(word === 'Progressing'
        ? [{ type: 'Reconciling', status: 'True' as const, reason: 'StartingServers', message: '', lastTransitionTime: CREATED }]
        : []),
    ],
    generation: 2,
    observedGeneration: word === 'Progressing' ? 1 : 2,
    etag: '"uid.4711"',
  }));
}

export function sampleTree({ name, environment, health, kind }: InstanceView): ResourceTree {
  const bad = health.status === 'Degraded';
  const fine = { status: 'Healthy', message: '' } as const;
  const pods = [0, 1, 2].map((index) =>
    node('Pod', `${name}-${index}`, bad && index === 0 ? { health, info: 'Pending' } : { health: fine, info: 'Running' }),
  );
  const slice = node('EndpointSlice', `${name}-rw-x7k2p`, { info: '3 endpoints' });
  const claim = { class: 'VolumeClaim', path: 'spec.volumeClaimTemplates[0].metadata.name', fieldOf: 'Parent', inferred: true } as const;
  const mount = {
    class: 'Mount',
    path: 'spec.template.spec.volumes[0].configMap.name',
    inferred: true,
    group: '',
    namespace: environment,
  } as const;
  const children = [
    node('StatefulSet', name, {
      health,
      info: bad ? '2/3 ready' : '3/3 ready',
      children: [...pods, node('PersistentVolumeClaim', `data-${name}-0`, { health: fine, info: '10Gi', edge: claim })],
      links: [{ ...mount, kind: 'ConfigMap', name: `${name}-config`, state: bad ? 'Missing' : 'Found' }],
    }),
    node('Service', `${name}-rw`, { health: fine, info: 'ClusterIP', children: [slice] }),
    node('Secret', `${name}-owner`, {}),
  ];
  const web = {
    kind: 'Ingress',
    name,
    scope: 'External',
    address: `https://${name}.example.com/`,
    url: `https://${name}.example.com/`,
  } as const;
  const portForward = `kubectl port-forward service/${name}-rw 5432:5432 --namespace team-a`;
  const inside = { kind: 'Service', name: `${name}-rw`, scope: 'Cluster', address: `${name}-rw.team-a.svc:5432`, portForward } as const;
  const addresses = [web, inside];
  const chain = [
    { apiVersion: 'v1', kind: 'Pod', name: `${name}-0`, message: 'cannot be scheduled: insufficient memory', since: CREATED },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name, message: '2 of 3 pods are ready' },
    { apiVersion: 'samples.chandlery.dev/v1', kind, name, message: '' },
  ];
  const cause = { message: health.message, since: CREATED, chain };
  const causes = bad ? [{ kind: 'Pod', name: `${name}-0`, message: '0/1 nodes are available: insufficient memory.' }] : [];
  return {
    root: node(kind, name, { health, children }),
    count: 9,
    health,
    causes,
    ...(bad ? { cause } : {}),
    addresses,
    unreadable: bad ? ['Secret'] : [],
    unavailable: [],
  };
}

/** A tree of Deployments, each with a ReplicaSet and pods; every hundredth pod is in trouble. About five resources for each Deployment. */
export function sampleLargeTree(instance: InstanceView, deployments: number): ResourceTree {
  const fine = { status: 'Healthy', message: '' } as const;
  const crash = { status: 'Degraded', message: 'Container main: CrashLoopBackOff: back-off 5m0s' } as const;
  const children = Array.from({ length: deployments }, (_, index) => {
    const name = `web-${index}`;
    const pods = [0, 1, 2].map((pod) =>
      named('pods', node('Pod', `${name}-5c9d-${pod}`, { health: pod === 0 && index % 33 === 7 ? crash : fine })),
    );
    const sets = [named('replicasets.apps', node('ReplicaSet', `${name}-5c9d`, { health: fine, children: pods }))];
    return named('deployments.apps', node('Deployment', name, { health: index % 33 === 7 ? crash : fine, children: sets }));
  });
  const root = node(instance.kind, instance.name, { health: crash, children });
  return { ...sampleTree(instance), root, count: nodesOf(root).length, health: crash };
}

function named(resource: string, one: TreeNode): TreeNode {
  return { ...one, resource, namespace: 'team-a' };
}

type NodeRest = Partial<Pick<TreeNode, 'health' | 'info' | 'children' | 'edge' | 'links'>>;

export function node(kind: string, name: string, { health, edge, info = '', links = [], children = [] }: NodeRest): TreeNode {
  return {
    uid: `${kind}/${name}`,
    apiVersion: 'v1',
    kind,
    name,
    info,
    created: CREATED,
    links,
    children,
    ...(edge === undefined ? {} : { edge }),
    ...(health === undefined ? {} : { health }),
  };
}

export function sampleEvents({ name, health }: InstanceView): readonly EventView[] {
  const scheduled = {
    type: 'Normal',
    reason: 'Scheduled',
    message: `Successfully assigned team-a/${name}-1 to node-0`,
    kind: 'Pod',
    name: `${name}-1`,
    count: 1,
    firstSeen: CREATED,
    lastSeen: CREATED,
    resolved: false,
  } as const;
  if (health.status !== 'Degraded') return [scheduled];
  const message = '0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available.';
  return [
    {
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      kind: 'Pod',
      name: `${name}-0`,
      count: 12,
      firstSeen: CREATED,
      lastSeen: CREATED,
      resolved: false,
    },
    scheduled,
  ];
}

/** Two pods, of which the second waits for its image. */
export function sampleLogs({ name, health }: InstanceView, { search }: LogQuery): LogView {
  const container = (of: string): LogContainer => ({ name: of, isInit: false, restarts: 0 });
  const pods = [0, 1].map((index) => ({
    name: `${name}-${index}`,
    phase: 'Running',
    containers: [container('postgres'), container('exporter')],
  }));
  const texts = ['database system is ready to accept connections', 'checkpoint starting: time', '{"level":"warn","msg":"slow query"}'];
  const all = texts.map((text, index) => ({
    pod: `${name}-0`,
    container: 'postgres',
    time: `2026-11-20T08:00:0${index}.000000001Z`,
    text,
  }));
  return {
    namespace: 'team-a',
    pods,
    lines: all.filter(({ text }) => text.includes(search)),
    notices:
      health.status === 'Healthy' ? [] : [{ pod: `${name}-1`, container: 'postgres', message: 'container "postgres" is waiting to start' }],
    more: 0,
  };
}

export const SAMPLE_FAULTS: readonly CatalogFault[] = [
  {
    source: 'catalog',
    file: 'operators/queue.yaml',
    line: 12,
    column: 5,
    resource: 'Operator default/queue-operator',
    message: 'spec.chart.verison is not a field of Operator; did you mean "version"?',
  },
  { source: 'catalog', file: 'environments.yaml', line: 0, column: 0, message: 'The file is not YAML: a mapping is indented by a tab.' },
];
