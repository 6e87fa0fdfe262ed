import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildTree } from '../../../../src/domain/tree/tree-builder.ts';
import type { ResourceTree } from '../../../../src/domain/tree/tree.ts';

const LISTED = new Set(['/Pod', '/Service', '/Secret', '/ConfigMap', 'apps/Deployment']);
const GOOD = { conditions: [{ type: 'Ready', status: 'True' }] };
const CRASHED = { name: 'main', ready: false, state: { terminated: { exitCode: 1 } } };

describe('what has a say in the health of a tree', () => {
  it('are the pods of the newest ReplicaSet of a Deployment', () => {
    const deployment = made('apps/v1 Deployment', 'web', ROOT, { spec: { replicas: 1 }, status: AVAILABLE });
    const sets = [1, 2].map((number) => ({
      ...made('apps/v1 ReplicaSet', `web-${number}`, deployment, { spec: { replicas: 1 }, status: AVAILABLE }),
      annotations: { 'deployment.kubernetes.io/revision': `${number}` },
    }));
    const [old, current] = sets.map(({ annotations, ...set }) => ({ ...set, metadata: { ...set.metadata, annotations } }));
    assert.ok(old !== undefined && current !== undefined);
    const objects = [deployment, old, current, pod('web-1-a', old, 'Failed'), pod('web-2-a', current, 'Running')];
    assert.deepEqual(statusOf(judge(objects)), ['Healthy', undefined]);
    const turned = [deployment, old, current, pod('web-1-a', old, 'Running'), pod('web-2-a', current, 'Failed')];
    assert.deepEqual(statusOf(judge(turned)), ['Degraded', 'Pod web-2-a was evicted']);
  });

  it('are no pods that were evicted and replaced, and no claims that nobody mounts', () => {
    const set = made('apps/v1 ReplicaSet', 'web', ROOT, { spec: { replicas: 1 }, status: { ...AVAILABLE, readyReplicas: 1 } });
    const claim = made('v1 PersistentVolumeClaim', 'spare', ROOT, { spec: {}, status: { phase: 'Pending' } });
    assert.deepEqual(statusOf(judge([set, pod('web-a', set, 'Failed'), pod('web-b', set, 'Running'), claim])), ['Healthy', undefined]);
  });

  it('are no failed runs of a CronJob that has succeeded since', () => {
    const cron = made('batch/v1 CronJob', 'nightly', ROOT, { spec: {} });
    const run = (day: number, type: string): KubeObject => {
      const job = made('batch/v1 Job', `nightly-${day}`, cron, { status: { conditions: [{ type, status: 'True' }] } });
      return { ...job, metadata: { ...job.metadata, creationTimestamp: `2026-11-0${day}T03:00:00Z` } };
    };
    assert.equal(judge([cron, run(1, 'Failed'), run(2, 'Complete')]).health.status, 'Healthy');
    assert.equal(judge([cron, run(1, 'Complete'), run(2, 'Failed')]).health.status, 'Degraded');
  });

  it('is a Service that selects nothing, unless the operator that made it says that all is well', () => {
    const service = made('v1 Service', 'replicas', ROOT, { spec: { selector: { role: 'replica' }, ports: [{ port: 80 }] } });
    const set = made('apps/v1 StatefulSet', 'db', ROOT, { spec: { replicas: 1 }, status: { ...AVAILABLE, readyReplicas: 1 } });
    assert.deepEqual(statusOf(judge([service, set], { ...ROOT, status: GOOD })), ['Healthy', undefined]);
    assert.deepEqual(statusOf(judge([service, set])), ['Degraded', 'Service replicas has no endpoints: no pod has the label role=replica']);
    const ofOne = { selector: { 'statefulset.kubernetes.io/pod-name': 'db-0' }, ports: [{ port: 80 }] };
    const waiting = judge([made('v1 Service', 'db-0', ROOT, { spec: ofOne }), set]);
    assert.equal(waiting.health.status, 'Progressing', 'the controller sets that label, so that no template has it');
  });
});

describe('the cause of a tree', () => {
  it('is not the missing Secret that a Certificate is about to write, but the Certificate', () => {
    const source = { secretRef: { name: 'tls' } };
    const spec = { replicas: 1, template: { spec: { containers: [{ name: 'main', envFrom: [source] }] } } };
    const deployment = made('apps/v1 Deployment', 'web', ROOT, { spec, status: { ...AVAILABLE, availableReplicas: 0 } });
    assert.equal(judge([deployment]).cause?.message, 'Deployment web needs Secret tls, which does not exist');
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Failed', message: 'the order was rejected' }];
    const certificate = made('cert-manager.io/v1 Certificate', 'tls', ROOT, { spec: { secretName: 'tls' }, status: { conditions } });
    assert.equal(judge([deployment, certificate]).cause?.message, 'Certificate tls: the order was rejected');
  });

  it('is what the controller of a custom resource warns of, when its status says nothing', () => {
    const event = {
      ...made('v1 Event', 'e', ROOT),
      type: 'Warning',
      reason: 'FailedCreate',
      involvedObject: { uid: 'app' },
      message:
        'configmaps "app" is forbidden: exceeded quota: team, requested: count/configmaps=1, used: count/configmaps=9, limited: count/configmaps=9',
      firstTimestamp: '2026-11-22T08:00:00Z',
    };
    const { cause } = judge([], ROOT, [event]);
    const quota = 'ResourceQuota team is used up: requested count/configmaps=1, used count/configmaps=9, limited to count/configmaps=9';
    assert.deepEqual([cause?.message, cause?.since], [quota, '2026-11-22T08:00:00Z']);
    const { health } = judge([], { ...ROOT, spec: { suspend: true } }, [event]);
    assert.deepEqual(health, { status: 'Suspended', message: 'App is suspended' }, 'what is suspended says so itself');
  });

  it('is bounded and of one line, whatever a container writes', () => {
    const message = 'x\n'.repeat(5_000);
    const waiting = { reason: 'CreateContainerError', message };
    const status = { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting } }] };
    const { cause } = judge([made('v1 Pod', 'p', ROOT, { spec: { containers: [{ name: 'main' }] }, status })]);
    assert.match(cause?.message ?? '', /^Pod p cannot start container main: [x ]{300}…$/);
  });
});

const AVAILABLE = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const ROOT: KubeObject = { apiVersion: 'a.example.com/v1', kind: 'App', metadata: { name: 'app', uid: 'app', namespace: 'ns' }, spec: {} };

/** @param type `apps/v1 Deployment` */
function made(type: string, name: string, owner: KubeObject, rest: object = {}): KubeObject {
  const [apiVersion = '', kind = ''] = type.split(' ');
  const { apiVersion: version, kind: ownerKind, metadata } = owner;
  const reference = { apiVersion: version, kind: ownerKind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  return {
    apiVersion,
    kind,
    ...rest,
    metadata: { name, namespace: 'ns', uid: `${kind}/${name}`, generation: 1, ownerReferences: [reference] },
  };
}

function pod(name: string, owner: KubeObject, phase: 'Running' | 'Failed'): KubeObject {
  const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }];
  const status = phase === 'Running' ? { phase, conditions } : { phase, reason: 'Evicted', conditions, containerStatuses: [CRASHED] };
  return made('v1 Pod', name, owner, { spec: { containers: [{ name: 'main' }] }, status });
}

function judge(objects: readonly KubeObject[], root = ROOT, events: readonly KubeObject[] = []): ResourceTree {
  return buildTree(root, objects, { listed: LISTED, events });
}

function statusOf({ health, cause }: ResourceTree): [string, string | undefined] {
  return [health.status, cause?.message];
}
