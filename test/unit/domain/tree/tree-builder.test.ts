import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildTree } from '../../../../src/domain/tree/tree-builder.ts';

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
