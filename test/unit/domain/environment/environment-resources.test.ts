import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MissingPermission } from '../../../../src/domain/core/errors.ts';
import { emptinessOf } from '../../../../src/domain/tree/emptiness.ts';
import {
  describeResources,
  filterResources,
  type EnvironmentResource,
  type ResourceFilter,
} from '../../../../src/domain/environment/environment-resources.ts';
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
  const managed: readonly (readonly [tool: string, more: object])[] = [
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
  for (const [expected, more] of managed) {
    it(`are known as those of ${expected.trim()}`, () => {
      const [{ managedBy } = fail()] = describeAll([object('apps/v1', 'Deployment', 'web', {}, more)]);
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

  it('are filtered by Helm release, inventory and labels, which what they own inherits but for its labels', () => {
    const helm = { annotations: { 'meta.helm.sh/release-name': 'mail', 'meta.helm.sh/release-namespace': 'ops' }, labels: { app: 'mail' } };
    const flux = {
      labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system', tier: 'db' },
    };
    const argo = { annotations: { 'argocd.argoproj.io/tracking-id': 'team_shop:apps/Deployment:team-a/web' } };
    const kpt = { annotations: { 'config.k8s.io/owning-inventory': 'k-1' } };
    const inventory = { labels: { 'cli-utils.sigs.k8s.io/inventory-id': 'k-1', 'chandlery.dev/source': 'folder' } };
    const mail = object('apps/v1', 'Deployment', 'mail', {}, helm);
    const all = describeAll([
      mail,
      object('v1', 'Pod', 'mail-1', owned(mail)),
      ...[flux, argo, kpt, inventory].map((more, index) => object('v1', 'Secret', `s${index}`, {}, more)),
    ]);
    const names = (filter: Parameters<typeof filterResources>[1]): string[] => filterResources(all, filter).map(({ name }) => name);
    assert.deepEqual(names({ release: 'mail' }), ['mail', 'mail-1']);
    assert.deepEqual(names({ release: 'ops/mail' }), ['mail', 'mail-1']);
    assert.deepEqual(names({ release: 'team-a/mail' }), []);
    assert.deepEqual(names({ inventory: 'flux-system/apps' }), ['s0']);
    assert.deepEqual(names({ inventory: 'team/shop' }), ['s1']);
    assert.deepEqual(names({ inventory: 'k-1' }), ['s2', 's3']);
    assert.deepEqual(names({ inventory: 'folder' }), ['s3']);
    for (const [labelSelector, expected] of [
      ['app=mail', ['mail']],
      ['app==mail,tier!=db', ['mail']],
      ['tier in (db, web)', ['s0']],
      ['tier notin (db),!app', ['mail-1', 's1', 's2', 's3']],
      ['kustomize.toolkit.fluxcd.io/name', ['s0']],
    ] as const)
      assert.deepEqual(names({ labelSelector }), expected, labelSelector);
    for (const labelSelector of ['a b', 'app in (a', '=x', '__proto__/x=1', ',', 'a=b,,c=d'])
      assert.throws(() => names({ labelSelector }), { code: 'InvalidInput' }, labelSelector);
  });

  it('that are not there have a reason: no permission, a kind that is not served, nothing installed, or the filter', () => {
    const missing = [{ verb: 'list', group: '', resource: 'secrets', namespace: 'team-a' }] as const;
    const why = (filter: ResourceFilter, total: number, lacking: readonly MissingPermission[] = []): string => {
      const served = new Set(['secrets', 'pods']);
      const { reason, message } = emptinessOf({ place: 'the namespace team-a', total, filter, served, missing: lacking });
      return `${reason}: ${message}`;
    };
    assert.equal(why({}, 0), 'NothingInstalled: Nothing is installed in the namespace team-a yet');
    assert.equal(why({}, 0, missing), 'NoPermission: You may not list secrets in the namespace team-a');
    assert.equal(why({ resource: 'secrets' }, 3, missing), 'NoPermission: You may not list secrets in the namespace team-a');
    assert.equal(why({ resource: 'boats.example.com' }, 3), 'NotServed: The cluster serves no resource boats.example.com in namespaces');
    assert.equal(
      why({ resource: 'pods', health: 'Degraded' }, 3, missing),
      'NoMatch: 3 resources are in the namespace team-a, and none has the resource pods and the health Degraded',
    );
    const board = { subject: ['workload', 'workloads'], place: 'the namespace team-a', served: new Set<string>(), missing: [] } as const;
    assert.equal(emptinessOf({ ...board, total: 0, filter: {} }).message, 'There are no workloads in the namespace team-a yet');
    assert.equal(
      emptinessOf({ ...board, total: 1, filter: { track: 'canary' } }).message,
      '1 workload is in the namespace team-a, and none has pods with the label track: canary',
    );
  });
});

function describeAll(objects: readonly KubeObject[]): EnvironmentResource[] {
  return describeResources(objects, { kinds: KINDS, shown: APPS });
}

function owned(owner: KubeObject): object {
  const { apiVersion, kind, metadata } = owner;
  return { ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }] };
}

function object(
  ...[apiVersion, kind, name, owner = {}, more = {}, rest = {}]: readonly [string, string, string, object?, object?, object?]
): KubeObject {
  return { apiVersion, kind, ...rest, metadata: { name, namespace: 'team-a', uid: `${kind} ${name}`, ...owner, ...more } };
}

function fail(): never {
  throw new Error('there is none');
}
