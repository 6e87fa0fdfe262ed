import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { type Workload, workloadsOf } from '../../../../src/domain/workload/workload.ts';
import { sampleWorkloads } from '../../../support/sample-workloads.ts';

const object = (apiVersion: string, kind: string, name: string, { owner, metadata = {}, ...rest }: Rest = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    namespace: 'shop',
    uid: name,
    generation: 1,
    ...(owner === undefined ? {} : { ownerReferences: [{ apiVersion: '', kind: '', name: owner, uid: owner, controller: true }] }),
    ...metadata,
  },
  ...rest,
});
type Rest = { readonly owner?: string; readonly metadata?: object; readonly spec?: object; readonly status?: object };

const pod = (name: string, owner: string | undefined, hash: string, { ready = true, labels = {} } = {}): KubeObject =>
  object('v1', 'Pod', name, {
    ...(owner === undefined ? {} : { owner }),
    metadata: { labels: { 'controller-revision-hash': hash, ...labels } },
    spec: { containers: [{ name: 'a', image: 'registry:5000/shop/web' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });

const container = (image: string): object => ({ spec: { containers: [{ name: 'a', image }] } });

function only(...objects: readonly KubeObject[]): Workload {
  const [first, ...others] = workloadsOf(objects);
  assert.ok(first !== undefined && others.length === 0);
  return first;
}

const rows = ({ revisions }: Workload): string[] =>
  revisions.map(({ name, number, current, pods }) => [name, number ?? '-', current ? 'now' : 'old', pods.length].join(' '));

describe('the workloads among objects', () => {
  test('a Deployment is reported with its pods by revision, who changed it, and why it does not go on', () => {
    const [web, servers] = sampleWorkloads({ name: 'orders', health: { status: 'Degraded', message: '' } });
    assert.ok(web !== undefined && servers !== undefined);
    assert.deepEqual(rows(web), ['5c9d 4 now 1', '84bb 3 old 2']);
    assert.deepEqual(
      [web.track, web.version, web.ready, web.desired, web.restarts, web.revisions[0]?.pods[0]?.status],
      ['canary', '1.4', 2, 3, 7, 'CrashLoopBackOff'],
    );
    assert.deepEqual(web.rollout, {
      state: 'Stalled',
      percentage: 0,
      message: 'ReplicaSet "orders-web-5c9d" has timed out progressing.',
    });
    assert.deepEqual(web.change, {
      manager: 'kubectl-client-side-apply',
      time: '2026-11-20T08:15:00Z',
      cause: 'raise the page size',
      gitlab: { env: 'review', app: 'shop-web' },
      pipeline: 'https://ci.example.com/shop/pipelines/17',
    });
    assert.deepEqual([servers.rollout.state, servers.rollout.percentage], ['Progressing', 66]);
  });

  test('the pods of a StatefulSet and of a DaemonSet have the numbers of their ControllerRevisions', () => {
    const revision = (name: string, owner: string, number: number): KubeObject => ({
      ...object('apps/v1', 'ControllerRevision', name, { owner }),
      revision: number,
    });
    const status = { updateRevision: 'db-7f' };
    const db = [object('apps/v1', 'StatefulSet', 'db', { status }), revision('db-5c', 'db', 3), revision('db-7f', 'db', 12)];
    assert.deepEqual(rows(only(...db, pod('db-0', 'db', 'db-5c'), pod('db-1', 'db', 'db-7f'))), ['db-7f 12 now 1', 'db-5c 3 old 1']);
    // A rollback takes an old template over under a new number.
    const agent = [object('apps/v1', 'DaemonSet', 'agent'), revision('agent-9a', 'agent', 5), revision('agent-2b', 'agent', 4)];
    assert.deepEqual(rows(only(...agent, pod('agent-x', 'agent', '2b'), pod('agent-y', 'agent', '9a'))), ['9a 5 now 1', '2b 4 old 1']);
  });

  test('a rollout goes as kubectl rollout status says, also where pods cannot be read', () => {
    const roll = (spec: object, status: object, generation = 1) =>
      only(object('apps/v1', 'Deployment', 'web', { metadata: { generation }, spec: { template: container('web:1'), ...spec }, status }))
        .rollout;
    const counts = { replicas: 4, updatedReplicas: 2, availableReplicas: 3, readyReplicas: 3, observedGeneration: 1 };
    assert.deepEqual(roll({ replicas: 4 }, counts), { state: 'Progressing', percentage: 50, message: '2 of 4 pods are updated' });
    assert.equal(roll({ replicas: 4 }, counts, 2).message, 'Waiting for the controller to observe the change');
    assert.equal(roll({ replicas: 2 }, counts).message, '2 pods of earlier revisions still to be terminated');
    assert.equal(roll({ replicas: 4, paused: true }, counts).state, 'Paused');
    assert.deepEqual(roll({ replicas: 0 }, { observedGeneration: 1 }), { state: 'Complete', percentage: 100, message: '' });
    const partition = { replicas: 4, updateStrategy: { rollingUpdate: { partition: 2 } } };
    const sets = object('apps/v1', 'StatefulSet', 'web', { spec: partition, status: counts });
    assert.deepEqual(only(sets).rollout, { state: 'Paused', percentage: 50, message: 'Partition 2 keeps 2 pods on an earlier revision' });
  });

  test('an Argo Rollout marks the pods of its canary, and where it waits', () => {
    const hash = (name: string) => ({ labels: { 'rollouts-pod-template-hash': name } });
    const rollout = object('argoproj.io/v1alpha1', 'Rollout', 'web', {
      spec: { replicas: 2, strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }, template: container('web:2@sha256:ab') },
      status: {
        replicas: 2,
        updatedReplicas: 1,
        currentPodHash: 'new',
        stableRS: 'old',
        currentStepIndex: 1,
        pauseConditions: [{ reason: 'CanaryPauseStep' }],
        canary: { weights: { canary: { weight: 20 } } },
      },
    });
    const sets = ['old', 'new'].map((name) => object('apps/v1', 'ReplicaSet', name, { owner: 'web', metadata: hash(name) }));
    const pods = ['old', 'new'].map((name) => pod(`${name}-1`, name, name));
    const web = only(rollout, ...sets, ...pods);
    assert.deepEqual(rows(web), ['new - now 1', 'old - old 1']);
    assert.deepEqual(
      web.revisions.map(({ track, pods: [first] }) => [track, first?.track]),
      [
        ['canary', 'canary'],
        ['stable', 'stable'],
      ],
    );
    assert.deepEqual(web.rollout, {
      state: 'Paused',
      percentage: 50,
      message: 'Paused at step 2 of 2: CanaryPauseStep',
      canaryWeight: 20,
    });
    assert.deepEqual(web.images, [{ container: 'a', image: 'web:2@sha256:ab', name: 'web', tag: '2', digest: 'sha256:ab' }]);
  });

  test('a StatefulSet or CloneSet finds its current revision by the hash in its status, with its name before it or not', () => {
    const status = { replicas: 2, updatedReplicas: 1, updateRevision: 'db-bbb' };
    const of = (hashes: readonly string[]) => [
      object('apps.kruise.io/v1', 'CloneSet', 'db', { spec: { replicas: 2, template: container('db:1') }, status }),
      ...hashes.map((hash, index) => pod(`db-${index}`, 'db', hash)),
    ];
    assert.deepEqual(rows(only(...of(['db-aaa', 'db-bbb']))), ['db-bbb - now 1', 'db-aaa - old 1']);
    assert.deepEqual(rows(only(...of(['aaa', 'bbb']))), ['bbb - now 1', 'aaa - old 1']);
  });

  test('a CronJob is reported by its last Job, and a Job that failed is stalled', () => {
    const job = (name: string, creationTimestamp: string, status: object, owner?: string) =>
      object('batch/v1', 'Job', name, {
        ...(owner === undefined ? {} : { owner }),
        metadata: { creationTimestamp },
        spec: { completions: 1, template: container('job:1') },
        status,
      });
    const cron = object('batch/v1', 'CronJob', 'nightly', { spec: { jobTemplate: { spec: { template: container('job:1') } } } });
    const jobs = [
      job('nightly-1', '2026-01-01T00:00:00Z', { succeeded: 1 }, 'nightly'),
      job('nightly-2', '2026-01-02T00:00:00Z', {}, 'nightly'),
    ];
    const nightly = only(cron, ...jobs, pod('nightly-1-x', 'nightly-1', ''), pod('nightly-2-x', 'nightly-2', ''));
    assert.deepEqual([nightly.rollout.message, nightly.version], ['0 of 1 completed', '1']);
    assert.deepEqual(rows(nightly), ['nightly-2 - now 1', 'nightly-1 - old 1']);
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
    const { rollout } = only(job('once', '', { conditions: [failed] }));
    assert.deepEqual(rollout, { state: 'Stalled', percentage: 0, message: 'Job has reached the specified backoff limit' });
  });

  test('pods of a custom resource are its own, and a pod whose owner was not read stands alone', () => {
    const cluster = object('postgresql.cnpg.io/v1', 'Cluster', 'db', { spec: { instances: 3 } });
    const canary = { labels: { track: 'canary' } };
    const found = workloadsOf([
      cluster,
      pod('db-1', 'db', ''),
      pod('db-2', 'db', '', { ready: false }),
      pod('static', 'a-node', '', canary),
    ]);
    assert.deepEqual(
      found.map(({ kind, name, ready, desired, track, version }) => [kind, name, ready, desired, track, version]),
      [
        ['Cluster', 'db', 1, 3, 'stable', ''],
        ['Pod', 'static', 1, 1, 'canary', ''],
      ],
    );
  });

  test('whatever objects hold, and owners that go round in a circle, end', () => {
    const circle = [object('apps/v1', 'ReplicaSet', 'a', { owner: 'b' }), object('apps/v1', 'ReplicaSet', 'b', { owner: 'a' })];
    const odd = { spec: { template: 7, replicas: 'x' }, status: { conditions: 'no', containerStatuses: [null, 3] } } as Rest;
    const odds = ['Deployment', 'Pod', 'Job'].map((kind) => object(kind === 'Pod' ? 'v1' : 'apps/v1', kind, kind, odd));
    assert.doesNotThrow(() => workloadsOf([...circle, ...odds, object('v1', 'Pod', 'self', { owner: 'self' })]));
  });
});
