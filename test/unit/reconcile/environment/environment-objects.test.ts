import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../../../src/domain/core/read.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { environmentObjects, namespaceLabels } from '../../../../src/reconcile/environment/environment-objects.ts';
import { parseEnvironment } from '../../../../src/reconcile/environment/environment-spec.ts';

function objectsOf(spec: object): KubeObject[] {
  const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'shop', uid: 'u1' }, spec };
  return environmentObjects(environment, parseEnvironment(environment, { projectPrefix: 'oidc:' })).map(({ object }) => object);
}

const subjectsOf = (objects: readonly KubeObject[], kind: string, name: string) =>
  at(
    objects.find((object) => object.kind === kind && object.metadata.name === name),
    'subjects',
  );

const group = (name: string) => ({ kind: 'Group', name, apiGroup: 'rbac.authorization.k8s.io' });

describe('what an environment consists of', () => {
  test('at the least: the account that releases are applied as, and nobody who sees it', () => {
    const objects = objectsOf({});
    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
      [
        'ServiceAccount shop/chandlery-deployer',
        'RoleBinding shop/chandlery-deployer',
        'RoleBinding shop/chandlery-network-deployer',
        'ClusterRole /chandlery-environment-shop',
        'ClusterRoleBinding /chandlery-environment-shop',
      ],
    );
    const deployer = { kind: 'ServiceAccount', name: 'chandlery-deployer', namespace: 'shop' };
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-deployer'), [deployer]);
    assert.deepEqual(subjectsOf(objects, 'ClusterRoleBinding', 'chandlery-environment-shop'), []);
  });

  test('without the permission for NetworkPolicies of charts where it denies them', () => {
    const objects = objectsOf({ networkPolicy: { chartPolicies: 'Deny' } });
    assert.deepEqual(
      objects.filter(({ kind }) => kind === 'RoleBinding').map(({ metadata }) => metadata.name),
      ['chandlery-deployer'],
    );
  });

  test('a binding for each role that somebody has, with groups and single subjects in it', () => {
    const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'ci', role: 'developer' };
    const objects = objectsOf({
      groups: [
        { name: 'b', role: 'developer' },
        { name: 'a', role: 'viewer' },
      ],
      subjects: [robot, { kind: 'Group', name: 'b', role: 'developer' }],
    });
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-developer'), [
      group('b'),
      { kind: 'ServiceAccount', name: 'robot', namespace: 'ci' },
    ]);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-viewer'), [group('a')]);
    assert.equal(subjectsOf(objects, 'RoleBinding', 'chandlery-maintainer'), undefined);
  });

  test('jobs of CI projects are groups with the prefix of their issuer', () => {
    const objects = objectsOf({
      projects: [
        { name: 'my-team/project' },
        { name: 'my-team/*', role: 'viewer' },
        { name: 'my-team/project', role: 'maintainer', branch: 'main' },
        { name: 'acme/site', role: 'maintainer', environment: 'review/1', prefix: 'github:' },
      ],
    });
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-developer'), [group('oidc:ci:my-team/project')]);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-viewer'), [group('oidc:ci:my-team/*')]);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-maintainer'), [
      group('github:ci:acme/site:environment:review/1'),
      group('oidc:ci:my-team/project:branch:main'),
    ]);
  });

  test('service accounts have a role, and maintainers create tokens for them: for that of a maintainer nobody else', () => {
    const outside = { kind: 'ServiceAccount', name: 'robot', namespace: 'ci' };
    const objects = objectsOf({
      groups: [{ name: 'oidc:Leads', role: 'maintainer' }],
      subjects: [{ ...outside, role: 'maintainer' }],
      serviceAccounts: [{ name: 'importer', role: 'viewer' }],
      maintainerServiceAccounts: true,
    });
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
    const [, own = ''] = accounts;
    assert.deepEqual([accounts.length, accounts[0]], [3, 'importer']);
    assert.match(own, /^maintainer-oidc-leads-[0-9a-f]{8}$/);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-tokens-importer'), [group('oidc:Leads'), outside]);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', `chandlery-tokens-${own}`), [group('oidc:Leads')]);
    const account = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'shop' });
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-viewer'), [account('importer')]);
    assert.deepEqual(subjectsOf(objects, 'RoleBinding', 'chandlery-maintainer'), [group('oidc:Leads'), outside, account(own)]);
  });

  test('everybody with a role may read exactly this environment, and the classes of the cluster', () => {
    const objects = objectsOf({
      groups: [
        { name: 'b', role: 'developer' },
        { name: 'a', role: 'viewer' },
      ],
    });
    const role = objects.find(({ kind }) => kind === 'ClusterRole');
    assert.deepEqual(role?.['rules'], [
      { apiGroups: ['chandlery.dev'], resources: ['environments'], resourceNames: ['shop'], verbs: ['get'] },
      { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list'] },
      { apiGroups: ['networking.k8s.io'], resources: ['ingressclasses'], verbs: ['get', 'list'] },
      { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get', 'list'] },
    ]);
    assert.deepEqual(subjectsOf(objects, 'ClusterRoleBinding', 'chandlery-environment-shop'), [group('a'), group('b')]);
  });

  test('pods of the level baseline, unless an admin says otherwise', () => {
    const levels = (spec: object): unknown => {
      const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'shop' }, spec };
      const labels = namespaceLabels(environment, parseEnvironment(environment, { projectPrefix: 'oidc:' }));
      return ['enforce', 'enforce-version', 'warn', 'audit'].map((mode) => labels[`pod-security.kubernetes.io/${mode}`]);
    };
    assert.deepEqual(levels({}), ['baseline', 'latest', 'restricted', 'restricted']);
    const podSecurity = { enforce: 'restricted', warn: 'baseline', version: 'v1.36' };
    assert.deepEqual(levels({ podSecurity }), ['restricted', 'v1.36', 'baseline', 'restricted']);
  });

  test('a quota and limits where they are asked for, in the namespace that it names', () => {
    const limits = [{ type: 'Container', default: { cpu: '1' } }];
    const objects = objectsOf({ namespace: 'shop-prod', quota: { pods: 5 }, limitRange: limits });
    const [quota, range] = objects;
    assert.deepEqual([quota?.kind, quota?.metadata.namespace, quota?.spec], ['ResourceQuota', 'shop-prod', { hard: { pods: 5 } }]);
    assert.deepEqual([range?.kind, range?.spec], ['LimitRange', { limits }]);
  });
});
