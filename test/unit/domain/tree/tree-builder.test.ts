import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setCustomHealth } from '../../../../src/domain/health/rules/health-of.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { NO_DECLARED_RELATIONS } from '../../../../src/domain/tree/declared-edges.ts';
import { buildTree, buildTreeOnce } from '../../../../src/domain/tree/tree-builder.ts';

const owned = (kind: string, name: string, owner: string | undefined, more: object = {}): KubeObject => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  ...more,
  metadata: {
    name,
    uid: name,
    ...(owner === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }] }),
  },
});
const root: KubeObject = {
  apiVersion: 'a.example/v1',
  kind: 'Cache',
  metadata: { name: 'c', uid: 'c' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};
const running = { spec: {}, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
const homeless = { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'insufficient memory' }] } };

describe('the resource tree', () => {
  it('follows owner references and leaves strangers out', () => {
    const tree = buildTree(root, [
      owned('Secret', 's', 'c'),
      owned('Set', 'set', 'c'),
      owned('Pod', 'p', 'set', running),
      owned('Pod', 'stranger', undefined),
    ]);
    assert.deepEqual(
      tree.root.children.map(({ name, children }) => [name, children.map((child) => child.name)]),
      [
        ['s', []],
        ['set', ['p']],
      ],
    );
    assert.equal(tree.count, 4);
    assert.equal(tree.health.status, 'Healthy');
  });

  it('says which resource is the cause', () => {
    const tree = buildTree(root, [owned('Pod', 'p', 'c', homeless)]);
    assert.equal(tree.health.status, 'Progressing');
    assert.deepEqual(tree.causes, [{ kind: 'Pod', name: 'p', message: 'insufficient memory' }]);
    assert.equal(tree.health.message, 'Pod p cannot be scheduled: insufficient memory');
  });

  it('counts a custom resource below an instance, and names it', () => {
    const certificate = (reason: string): KubeObject => ({
      ...owned('Certificate', 'tls', 'c', {
        status: { conditions: [{ type: 'Ready', status: 'False', reason, message: 'the order was rejected' }] },
      }),
      apiVersion: 'cert-manager.io/v1',
    });
    const failed = buildTree(root, [certificate('Failed')]);
    assert.deepEqual(failed.health, { status: 'Degraded', message: 'Certificate tls: the order was rejected' });
    assert.deepEqual(failed.causes, [{ kind: 'Certificate', name: 'tls', message: 'the order was rejected' }]);
    assert.equal(buildTree(root, [certificate('Issuing')]).health.status, 'Progressing');
  });

  it('names a cause that says nothing about itself by its status', () => {
    const bridge = {
      ...owned('KafkaBridge', 'b', 'c', { status: { conditions: [{ type: 'NotReady', status: 'True' }] } }),
      apiVersion: 'kafka.strimzi.io/v1',
    };
    assert.deepEqual(buildTree(root, [bridge]).health, { status: 'Degraded', message: 'KafkaBridge b is Degraded' });
  });

  it('is built again when an object, an event, a listed kind or the word of a custom rule is another one, and only then', () => {
    const [pod, event] = [owned('Pod', 'p', 'c', running), owned('Event', 'e', undefined)];
    const context = {
      namespace: 'n',
      unavailable: [],
      listed: new Set(['/Pod']),
      resources: new Map(),
      events: [event],
      members: new Map(),
    };
    const build = (objects: readonly KubeObject[], change: object = {}) =>
      buildTreeOnce(root, objects, { ...context, declared: NO_DECLARED_RELATIONS, ...change });
    const first = build([pod]);
    assert.equal(build([pod], { listed: new Set(['/Pod']) }), first);
    const others = [build([{ ...pod }]), build([pod], { events: [{ ...event }] }), build([pod], { listed: new Set(['/Pod', '/Secret']) })];
    assert.ok(!others.includes(first));
    const unavailable = [{ kind: 'Set', apiVersion: 'apps/v1', message: 'away' }];
    assert.deepEqual(build([pod], { unavailable }).unavailable, unavailable);
    build([pod]);
    setCustomHealth(pod, { status: 'Degraded', message: 'late', rule: 'x' });
    assert.equal(build([pod]).health.status, 'Degraded');
  });

  it('ends although owners go round in a circle', () => {
    const tree = buildTree(
      { ...root, metadata: { ...root.metadata, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'a', uid: 'a' }] } },
      [owned('Set', 'a', 'c'), owned('Set', 'b', 'a'), { ...owned('Set', 'a', 'b') }],
    );
    assert.ok(tree.count >= 3 && tree.count < 10);
  });

  it('does not call an instance healthy because its Service has an address', () => {
    const fresh: KubeObject = { apiVersion: 'a.example/v1', kind: 'Cache', metadata: { name: 'c', uid: 'c' } };
    const service = { ...owned('Service', 's', 'c', { spec: {} }), apiVersion: 'v1' };
    const set = owned('StatefulSet', 'set', 'c', { spec: { replicas: 1 }, status: { observedGeneration: 0, readyReplicas: 1 } });
    assert.equal(buildTree(fresh, [service]).health.status, 'Unknown');
    assert.equal(buildTree(fresh, [service, set]).health.status, 'Healthy');
  });

  it('does not call a tree healthy in which nothing says how it is', () => {
    const silent: KubeObject = { apiVersion: 'a.example/v1', kind: 'Cache', metadata: { name: 'c', uid: 'c' } };
    assert.equal(buildTree(silent, [owned('Secret', 's', 'c')], { unreadable: ['Lease'] }).health.status, 'Unknown');
  });
});
