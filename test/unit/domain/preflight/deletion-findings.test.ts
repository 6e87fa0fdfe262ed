import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsLeft, deletionFindings, dependentFindings, ownedBelow } from '../../../../src/domain/preflight/deletion-findings.ts';
import { releaseRemoval } from '../../../../src/domain/preflight/release-removal.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const object = (kind: string, name: string, owners: readonly string[] = []): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: name, ownerReferences: owners.map((uid) => ({ apiVersion: 'v1', kind: 'X', name: uid, uid })) },
});

const root = object('Cache', 'c');
const set = object('StatefulSet', 'c-set', ['c']);
const pod = object('Pod', 'c-set-0', ['c-set']);
const shared = object('Secret', 'shared', ['c', 'another']);
const owned = object('PersistentVolumeClaim', 'owned', ['c']);
const left = object('PersistentVolumeClaim', 'data-c-set-0');
const all = [pod, shared, owned, left, set, object('PersistentVolumeClaim', 'data-other-0'), object('ConfigMap', 'free')];

describe('what goes with an instance', () => {
  it('is what nothing else owns', () => {
    assert.deepEqual(
      ownedBelow([root], all)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
      ['c-set', 'c-set-0', 'owned'],
    );
  });

  it('leaves the claims of StatefulSets behind', () => {
    assert.deepEqual(
      claimsLeft(ownedBelow([root], all), all).map(({ metadata }) => metadata.name),
      ['data-c-set-0'],
    );
  });

  it('does not end in a circle of owners', () => {
    assert.deepEqual(ownedBelow([root], [object('A', 'a', ['b']), object('A', 'b', ['a'])]), []);
  });

  it('reports what the reclaim policy says of data, and what it does not know', () => {
    const fates = (['Delete', 'Retain', 'Unknown'] as const).map((reclaim) => ({ claim: owned, fate: 'Goes' as const, reclaim }));
    const { removed = [], warned = [] } = deletionFindings(root, [], [...fates, { claim: left, fate: 'Stays', reclaim: 'Unknown' }]);
    const data = removed.filter(({ subject }) => subject === 'Data');
    assert.deepEqual(
      data.map(({ evidence }) => evidence),
      ['exact', 'exact', 'estimate'],
    );
    assert.match(data[0]?.message ?? '', /its data will be deleted$/);
    assert.match(data[1]?.message ?? '', /volume and data stay until an admin deletes them, because its reclaim policy is Retain/);
    assert.match(warned[0]?.message ?? '', /data-c-set-0 stays with its data/);
  });

  it('names a few of many, and the finalizers that it waits for', () => {
    const pods = Array.from({ length: 12 }, (_, index) => object('Pod', `p${index}`, ['c']));
    const held = { ...root, metadata: { ...root.metadata, finalizers: ['a.example/backup'] } };
    const { removed = [], warned = [] } = deletionFindings(held, pods, []);
    assert.match(removed[1]?.message ?? '', /^Pod p0, p1, p10, p11, p2 and 7 more$/);
    assert.match(warned[0]?.message ?? '', /a\.example\/backup/);
  });
});

describe('what goes with a release', () => {
  const marked = (one: KubeObject, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
    ...one,
    metadata: { ...one.metadata, ...metadata },
  });
  const kept = marked(object('PersistentVolumeClaim', 'dumps'), { annotations: { 'helm.sh/resource-policy': 'keep' } });
  const [config, stateful] = [object('ConfigMap', 'config'), object('StatefulSet', 'set')];
  const hook = { kind: 'Job', name: 'migrate', events: ['post-install'], deletePolicies: ['before-hook-creation'] };
  const labelled = marked(object('Secret', 'generated'), { labels: { 'app.kubernetes.io/instance': 'r' } });
  const around = [kept, config, stateful, object('Pod', 'set-0', ['set']), object('Job', 'migrate'), labelled, object('Secret', 'other')];
  const instance = { ...root, spec: { valuesFrom: [{ kind: 'Secret', name: 'other', key: 'password' }] } };
  const { goes, findings } = releaseRemoval({
    deployer: 'chandlery-deployer',
    root: instance,
    release: { namespace: 'a', name: 'r' },
    members: [kept, config, stateful],
    hooks: [
      hook,
      { ...hook, name: 'clean', events: ['pre-delete'] },
      { ...hook, name: 'other', kind: 'Secret', deletePolicies: ['hook-succeeded'] },
    ],
    objects: around,
  });

  it('is all of it and what that owns, but for what Helm keeps', () => {
    assert.deepEqual(
      goes.map(({ metadata }) => metadata.name),
      ['config', 'set', 'set-0'],
    );
    assert.deepEqual(
      findings.warned.map(({ message, evidence }) => `${message} (${evidence})`),
      [
        'PersistentVolumeClaim dumps stays with its data: it has the annotation helm.sh/resource-policy: keep (exact)',
        'Job migrate stays: a hook made it, and Helm does not delete what hooks made (exact)',
        'Secret generated stays: it is labelled as part of the release, and is not (estimate)',
        'Secret other stays: spec.valuesFrom refers to it (exact)',
      ],
    );
  });

  it('runs the hooks for its deletion alone', () => {
    assert.deepEqual(
      findings.created.map(({ message }) => message),
      ['Job clean, a pre-delete hook'],
    );
  });
});

describe('what takes outputs of an instance that is deleted', () => {
  const instance = (name: string, valuesFrom: readonly object[] = [], namespace = 'team'): KubeObject => ({
    apiVersion: 'apps.chandlery.dev/v1alpha1',
    kind: 'Web',
    metadata: { name, namespace },
    spec: { valuesFrom },
  });
  const from = { kind: 'Web', name: 'db', key: 'host', targetPath: 'host' };

  it('is named, once each, by the kind of generated apps or an apiVersion', () => {
    const others = [
      instance('short', [from, { ...from, key: 'port' }]),
      instance('long', [{ ...from, apiVersion: 'apps.chandlery.dev/v1alpha1' }]),
      instance('foreign', [{ ...from, apiVersion: 'example.com/v1' }]),
      instance('object', [{ ...from, kind: 'Secret' }]),
      instance('elsewhere', [from], 'another'),
      instance('db'),
    ];
    assert.deepEqual(
      dependentFindings(instance('db'), others).map(({ message }) => message.split(' ', 2).join(' ')),
      ['Web short', 'Web long'],
    );
  });
});
