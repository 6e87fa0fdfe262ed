import type { InstanceView } from '../../src/domain/instance/instance.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { type Workload, workloadsOf } from '../../src/domain/workload/workload.ts';

const CREATED = '2026-11-18T09:30:00Z';
const CHANGED = '2026-11-20T08:15:00Z';

/** The StatefulSet of a sample, and beside it a canary of a Deployment whose rollout is stalled where the sample is in trouble. */
export function sampleWorkloads({ name, health }: Pick<InstanceView, 'name' | 'health'>): readonly Workload[] {
  const bad = health.status === 'Degraded';
  const servers = [0, 1, 2].map((index) =>
    pod(`${name}-${index}`, { owner: `StatefulSet/${name}`, hash: `${name}-7d9f`, bad: bad && index === 0 }),
  );
  const web = `${name}-web`;
  const sets = [
    { hash: '5c9d', revision: 4, pods: [0] },
    { hash: '84bb', revision: 3, pods: [0, 1] },
  ];
  const replicaSets = sets.map(({ hash, revision, pods }) =>
    object('apps/v1', 'ReplicaSet', `${web}-${hash}`, {
      owner: `Deployment/${web}`,
      labels: { 'pod-template-hash': hash },
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      spec: { replicas: pods.length, template: template('registry.example.com/shop/web', `1.${revision}`) },
    }),
  );
  const webPods = sets.flatMap(({ hash, revision, pods }) =>
    pods.map((index) => pod(`${web}-${hash}-${index}`, { owner: `ReplicaSet/${web}-${hash}`, hash, bad: bad && revision === 4 })),
  );
  return workloadsOf([statefulSet(name, bad), ...servers, deployment(web, bad), ...replicaSets, ...webPods]);
}

function statefulSet(name: string, bad: boolean): KubeObject {
  return object('apps/v1', 'StatefulSet', name, {
    spec: { replicas: 3, template: template('registry.example.com/postgres', '16.4') },
    status: { replicas: 3, readyReplicas: bad ? 2 : 3, updatedReplicas: 3, updateRevision: `${name}-7d9f`, observedGeneration: 2 },
  });
}

function deployment(name: string, bad: boolean): KubeObject {
  const message = `ReplicaSet "${name}-5c9d" has timed out progressing.`;
  const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message };
  return object('apps/v1', 'Deployment', name, {
    labels: { track: 'canary' },
    annotations: {
      'kubernetes.io/change-cause': 'raise the page size',
      'app.gitlab.com/env': 'review',
      'app.gitlab.com/app': 'shop-web',
      'ci.example.com/pipeline-url': 'https://ci.example.com/shop/pipelines/17',
    },
    spec: { replicas: 3, template: template('registry.example.com/shop/web', '1.4') },
    status: { replicas: 3, readyReplicas: bad ? 2 : 3, updatedReplicas: 1, observedGeneration: 2, conditions: bad ? [late] : [] },
  });
}

function template(image: string, tag: string): object {
  return { metadata: { labels: {} }, spec: { containers: [{ name: 'main', image: `${image}:${tag}` }] } };
}

function pod(name: string, { owner, hash, bad }: { readonly owner: string; readonly hash: string; readonly bad: boolean }): KubeObject {
  const waiting = { name: 'main', restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } } };
  return object('v1', 'Pod', name, {
    owner,
    labels: owner.startsWith('ReplicaSet') ? { 'pod-template-hash': hash } : { 'controller-revision-hash': hash },
    spec: { nodeName: 'node-0', containers: [{ name: 'main', image: 'registry.example.com/postgres:16.4' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: bad ? 'False' : 'True' }],
      containerStatuses: [bad ? waiting : { name: 'main', restartCount: 0, ready: true, state: { running: {} } }],
    },
  });
}

interface Rest {
  readonly owner?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly status?: object;
}

/** @param rest `owner` is `Kind/name` of the object whose uid that is. */
function object(apiVersion: string, kind: string, name: string, rest: Rest): KubeObject {
  const { owner, labels = {}, annotations = {}, spec, status } = rest;
  const [ownerKind = '', ownerName = ''] = (owner ?? '').split('/');
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: 'team-a',
      uid: `${kind}/${name}`,
      generation: 2,
      creationTimestamp: CREATED,
      labels,
      annotations,
      ownerReferences:
        owner === undefined ? [] : [{ apiVersion: 'apps/v1', kind: ownerKind, name: ownerName, uid: owner, controller: true }],
      managedFields: [
        { manager: 'kubectl-client-side-apply', operation: 'Update', time: CHANGED },
        { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status', time: '2026-11-21T08:15:00Z' },
      ],
    },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}
