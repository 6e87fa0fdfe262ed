import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeResources, filterResources, type EnvironmentResource } from '../../../../src/domain/environment/environment-resources.ts';
import type { KubeObject, ServedKind } from '../../../../src/domain/kubernetes/resource.ts';

const served = (group: string, kind: string): ServedKind => {
  return { group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['list'], shortNames: [] };
};
const KINDS = [
  served('', 'Pod'),
  served('', 'Secret'),
  served('apps', 'ReplicaSet'),
  served('apps', 'Deployment'),
  served('a.example.com', 'Cache'),
];
const APPS = new Set(['caches.a.example.com']);

describe('the resources of an environment', () => {
  const managed: readonly (readonly [tool: string, marks: object])[] = [
    ['Helm mail in team-a', { annotations: { 'meta.helm.sh/release-name': 'mail', 'meta.helm.sh/release-namespace': 'team-a' } }],
    [
      'Flux mail in flux-system',
      {
        labels: { 'helm.toolkit.fluxcd.io/name': 'mail', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' },
        annotations: { 'meta.helm.sh/release-name': 'mail' },
      },
    ],
    [
      'Flux apps in flux-system',
      { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' } },
    ],
    ['ArgoCD shop in ', { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:team-a/web' } }],
    ['ArgoCD shop in team-a', { annotations: { 'argocd.argoproj.io/tracking-id': 'team-a_shop:apps/Deployment:team-a/web' } }],
    ['ArgoCD shop in ', { labels: { 'argocd.argoproj.io/instance': 'shop' } }],
    ['GitLab group/shop in ', { annotations: { 'app.gitlab.com/app': 'group/shop' } }],
    ['Chandlery team-a in ', { labels: { 'chandlery.dev/environment': 'team-a' } }],
    [
      'FieldManager kubectl-create in ',
      {
        managedFields: [
          { manager: 'kube-controller-manager', subresource: 'status', time: '2026-01-01T00:00:00Z' },
          { manager: 'kubectl-edit', time: '2026-01-03T00:00:00Z' },
          { manager: 'kubectl-create', time: '2026-01-02T00:00:00Z' },
        ],
      },
    ],
  ];
  for (const [expected, marks] of managed) {
    it(`are known as those of ${expected.trim()}`, () => {
      const [{ managedBy } = fail()] = describeAll([object('apps/v1', 'Deployment', 'web', {}, marks)]);
      assert.equal(`${managedBy?.tool} ${managedBy?.name} in ${managedBy?.namespace ?? ''}`, expected);
    });
  }

  it('name the highest owner, what manages it, and the instance that it is', () => {
    const helm = { annotations: { 'meta.helm.sh/release-name': 'mail' } };
    const deployment = object('apps/v1', 'Deployment', 'mail', {}, helm);
    const set = object('apps/v1', 'ReplicaSet', 'mail-1', owned(deployment));
    const cache = object('a.example.com/v1', 'Cache', 'visits');
    const all = describeAll([
      deployment,
      set,
      object('v1', 'Pod', 'mail-1-a', owned(set)),
      cache,
      object('v1', 'Secret', 'visits', owned(cache)),
    ]);
    assert.deepEqual(
      all.map(({ resource, name, owner, instance, managedBy }) => [resource, name, owner?.name, instance?.app, managedBy?.name]),
      [
        ['caches.a.example.com', 'visits', undefined, 'caches.a.example.com', undefined],
        ['deployments.apps', 'mail', undefined, undefined, 'mail'],
        ['pods', 'mail-1-a', 'mail', undefined, 'mail'],
        ['replicasets.apps', 'mail-1', 'mail', undefined, 'mail'],
        ['secrets', 'visits', 'visits', 'caches.a.example.com', undefined],
      ],
    );
  });

  it('name an owner that nobody read, such as one without a namespace, and end where owners go round in a circle', () => {
    const cluster = { apiVersion: 'infra.example.com/v1', kind: 'Stack', metadata: { name: 'eu', uid: 'eu' } };
    const [a, b] = [object('v1', 'Pod', 'a'), object('v1', 'Pod', 'b')];
    const all = describeAll([
      object('v1', 'Secret', 's', owned(cluster)),
      { ...a, metadata: { ...a.metadata, ...owned(b) } },
      { ...b, metadata: { ...b.metadata, ...owned(a) } },
    ]);
    assert.deepEqual(all.find(({ name }) => name === 's')?.owner, { apiVersion: 'infra.example.com/v1', kind: 'Stack', name: 'eu' });
    assert.equal(all.length, 3);
  });

  it('are filtered by resource, health, manager and words', () => {
    const failed = object('v1', 'Pod', 'b', {}, {}, { status: { phase: 'Failed' } });
    const all = describeAll([object('v1', 'Secret', 'a', {}, { labels: { 'argocd.argoproj.io/instance': 'Shop' } }), failed]);
    const names = (filter: Parameters<typeof filterResources>[1]): string[] => filterResources(all, filter).map(({ name }) => name);
    assert.deepEqual(names({}), ['b', 'a']);
    assert.deepEqual(names({ resource: 'pods' }), ['b']);
    assert.deepEqual(names({ health: 'None' }), ['a']);
    assert.deepEqual(names({ health: 'Degraded' }), ['b']);
    assert.deepEqual(names({ managedBy: 'ArgoCD' }), ['a']);
    assert.deepEqual(names({ search: 'shop' }), ['a']);
  });
});

function describeAll(objects: readonly KubeObject[]): EnvironmentResource[] {
  return describeResources(objects, { kinds: KINDS, apps: APPS });
}

function owned(owner: KubeObject): object {
  const { apiVersion, kind, metadata } = owner;
  return { ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }] };
}

function object(
  ...[apiVersion, kind, name, owner = {}, marks = {}, rest = {}]: readonly [string, string, string, object?, object?, object?]
): KubeObject {
  return { apiVersion, kind, ...rest, metadata: { name, namespace: 'team-a', uid: `${kind} ${name}`, ...owner, ...marks } };
}

function fail(): never {
  throw new Error('there is none');
}
