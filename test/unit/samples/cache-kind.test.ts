import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cacheKind } from '../../../charts/cache-operator/controller/cache-kind.ts';
import type { Manifest } from '../../../charts/controller-runtime/kube-object.ts';
import { live, parentOf, rolledOut } from './live-objects.ts';
import { at, listAt, textAt } from '../../../src/domain/core/read.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';

const NOTHING = { children: [], claims: [] };

function desired(spec: JsonObject = {}, children: readonly Manifest[] = []): readonly Manifest[] {
  const observed = { children: children.map((child) => live(child)), claims: [] };
  return cacheKind.desired(parentOf('Cache', spec), observed, { 'users.acl': 'user default on' });
}

function find(manifests: readonly Manifest[], kind: string, name?: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name));
}

function pod(manifests: readonly Manifest[]): JsonObject {
  return at(find(manifests, 'StatefulSet')?.spec, 'template', 'spec') as JsonObject;
}

function configHash(manifests: readonly Manifest[]): string {
  return textAt(find(manifests, 'StatefulSet')?.spec, 'template', 'metadata', 'annotations', 'samples.chandlery.dev/config-hash') ?? '';
}

describe('The objects of a Cache', () => {
  const shapes: readonly { readonly title: string; readonly spec: JsonObject; readonly names: readonly string[] }[] = [
    {
      title: 'are few for a single copy',
      spec: {},
      names: ['ConfigMap shop-cache-config', 'Service shop-cache', 'Service shop-cache-nodes', 'StatefulSet shop-cache'],
    },
    {
      title: 'have a Service for reading and a disruption budget when there are more copies',
      spec: { replicas: 3 },
      names: [
        'ConfigMap shop-cache-config',
        'Service shop-cache',
        'Service shop-cache-nodes',
        'Service shop-cache-read',
        'StatefulSet shop-cache',
        'PodDisruptionBudget shop-cache',
      ],
    },
  ];
  for (const { title, spec, names } of shapes) {
    it(title, () => {
      assert.deepEqual(
        desired(spec).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
        names,
      );
    });
  }

  it('send writers to the first pod alone', () => {
    const service = find(desired({ replicas: 3 }), 'Service', 'shop-cache');
    assert.equal(at(service?.spec, 'selector', 'statefulset.kubernetes.io/pod-name'), 'shop-cache-0');
  });

  it('keep the content in memory unless persistence is asked for', () => {
    assert.equal(at(find(desired(), 'StatefulSet')?.spec, 'volumeClaimTemplates'), undefined);
    const persistent = desired({ persistence: { enabled: true, size: '1Gi', storageClassName: 'fast' } });
    const [claim] = listAt(find(persistent, 'StatefulSet')?.spec, 'volumeClaimTemplates');
    assert.equal(textAt(claim, 'spec', 'resources', 'requests', 'storage'), '1Gi');
    assert.equal(textAt(claim, 'spec', 'storageClassName'), 'fast');
    assert.match(find(persistent, 'ConfigMap')?.data?.['valkey.conf'] ?? '', /^appendonly yes$/m);
  });

  it('leave the claim template as it was made, because it is immutable', () => {
    const made = desired({ persistence: { enabled: true, size: '1Gi' } });
    const grown = desired({ persistence: { enabled: true, size: '5Gi' } }, made);
    const [claim] = listAt(find(grown, 'StatefulSet')?.spec, 'volumeClaimTemplates');
    assert.equal(textAt(claim, 'spec', 'resources', 'requests', 'storage'), '1Gi');
  });

  it('reserve memory that follows from how much data must fit', () => {
    const [container] = listAt(pod(desired({ memory: '1Gi' })), 'containers');
    assert.deepEqual(at(container, 'resources'), { requests: { cpu: '100m', memory: '1280Mi' }, limits: { memory: '1600Mi' } });
  });

  it('let asked resources win over those that follow from the memory', () => {
    const [container] = listAt(pod(desired({ resources: { requests: { cpu: 1 }, limits: { memory: '4Gi' } } })), 'containers');
    assert.deepEqual(at(container, 'resources'), { requests: { cpu: 1, memory: '160Mi' }, limits: { memory: '4Gi' } });
  });

  it('roll the pods when a parameter changes, and not otherwise', () => {
    assert.notEqual(configHash(desired({ parameters: { timeout: '30' } })), configHash(desired()));
    assert.equal(configHash(desired({ replicas: 3 })), configHash(desired()));
  });

  it('never let labels of people replace those that the Services look for', () => {
    const template = at(find(desired({ labels: { 'app.kubernetes.io/name': 'mine', team: 'a' } }), 'StatefulSet')?.spec, 'template');
    assert.equal(textAt(template, 'metadata', 'labels', 'app.kubernetes.io/name'), 'cache');
    assert.equal(textAt(template, 'metadata', 'labels', 'team'), 'a');
  });
});

describe('The Secret of a Cache', () => {
  const parent = parentOf('Cache', { users: [{ name: 'cart', permissions: ['read'], keyPrefix: 'cart:' }] });
  const fresh = cacheKind.secret(parent, {}, () => 'made');

  it('keeps the passwords that are in use', () => {
    const { values } = cacheKind.secret(parent, { password: 'old', 'password-cart': 'older' }, () => 'new');
    assert.equal(values['password'], 'old');
    assert.equal(values['password-cart'], 'older');
    assert.equal(values['password-replication'], 'new');
  });

  it('configures Valkey with users by hashes only, each with its own keys', () => {
    const lines = (fresh.values['users.acl'] ?? '').split('\n');
    assert.equal(
      lines.find((line) => line.includes('made')),
      undefined,
    );
    assert.match(
      lines.find((line) => line.startsWith('user cart ')) ?? '',
      /^user cart on #[0-9a-f]{64} ~cart:\* resetchannels &cart:\* -@all \+@read \+@connection$/,
    );
  });
});

describe('The status of a Cache', () => {
  const set = find(desired(), 'StatefulSet') as Manifest;

  it('is Creating until it was Ready once, and Updating after that', () => {
    const children = [live({ ...set, spec: { ...set.spec, replicas: 2 } }, rolledOut(1))];
    assert.equal(cacheKind.report(parentOf('Cache'), { children, claims: [] }, []).phase, 'Creating');
    assert.equal(cacheKind.report(parentOf('Cache', {}, { phase: 'Ready' }), { children, claims: [] }, []).phase, 'Updating');
  });

  it('is Ready when all pods run the latest revision', () => {
    const report = cacheKind.report(parentOf('Cache'), { children: [live(set, rolledOut(1))], claims: [] }, []);
    assert.equal(report.phase, 'Ready');
    assert.equal(report.fields['endpoint'], 'shop-cache.team-a.svc:6379');
  });

  it('is not Ready while an old revision still runs', () => {
    const status = { ...rolledOut(1), updateRevision: 'b', updatedReplicas: 0 };
    const report = cacheKind.report(parentOf('Cache'), { children: [live(set, status)], claims: [] }, []);
    assert.equal(report.conditions.find(({ type }) => type === 'Ready')?.message, '1 of 1 copies are ready, 0 are up to date');
  });

  it('is not Ready before there is anything', () => {
    assert.equal(cacheKind.report(parentOf('Cache'), NOTHING, []).phase, 'Creating');
  });
});
