import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { remedyFor } from '../../../../src/domain/preflight/remedy.ts';

const APPS = new Set(['caches.a.example']);
const RIGHT = { verb: 'create', group: 'a.example', resource: 'caches', namespace: 'team-a' };

describe('the smallest grant of a permission', () => {
  it('is the role of the App, in one namespace, for one person', () => {
    const { yaml, kubectl, role } = remedyFor({ user: 'oidc:dev-a', permission: RIGHT, apps: APPS });
    assert.deepEqual(parse(yaml), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'chandlery-app-caches.a.example-edit:oidc:dev-a', namespace: 'team-a' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'oidc:dev-a' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery-app-caches.a.example-edit' },
    });
    assert.equal(
      kubectl,
      'kubectl create rolebinding chandlery-app-caches.a.example-edit:oidc:dev-a --clusterrole=chandlery-app-caches.a.example-edit --user=oidc:dev-a --namespace=team-a',
    );
    assert.equal(role, 'ClusterRole chandlery-app-caches.a.example-edit in the namespace team-a');
  });

  it('only reads where only reading is missing', () => {
    assert.match(
      remedyFor({ user: 'a', permission: { ...RIGHT, verb: 'list' }, apps: APPS }).yaml,
      /chandlery-app-caches\.a\.example-view/,
    );
  });

  it('is a role of exactly that permission where no App has one', () => {
    const permission = { verb: 'get', group: '', resource: 'resourcequotas', namespace: 'team-a' };
    const [role, binding] = parseAllDocuments(remedyFor({ user: 'a', permission, apps: APPS }).yaml).map(
      (document) => document.toJS() as unknown,
    );
    assert.deepEqual(role, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'chandlery-get-resourcequotas', namespace: 'team-a' },
      rules: [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['get'] }],
    });
    assert.equal((binding as { kind: string }).kind, 'RoleBinding');
  });

  it('is for the whole cluster where the permission is', () => {
    const permission = { verb: 'get', group: 'storage.k8s.io', resource: 'storageclasses', name: 'fast' };
    const { yaml, kubectl } = remedyFor({ user: 'a', permission, apps: APPS });
    assert.match(yaml, /kind: ClusterRoleBinding/);
    assert.match(yaml, /resourceNames:\n {6}- fast/);
    assert.match(kubectl, /kubectl create clusterrole .* --resource=storageclasses\.storage\.k8s\.io --resource-name=fast\n/);
    assert.doesNotMatch(kubectl, /namespace/);
  });

  it('is of several verbs, and for a service account, where that is what lacks them', () => {
    const permission = { verb: 'create', group: 'a.example', resource: 'widgets' };
    const user = 'system:serviceaccount:chandlery-system:chandlery';
    const { yaml, kubectl } = remedyFor({ user, permission, apps: APPS, verbs: ['create', 'patch'] });
    const [role, binding] = parseAllDocuments(yaml).map((document) => document.toJS() as { rules?: unknown; subjects?: unknown });
    assert.deepEqual(role?.rules, [{ apiGroups: ['a.example'], resources: ['widgets'], verbs: ['create', 'patch'] }]);
    assert.deepEqual(binding?.subjects, [{ kind: 'ServiceAccount', name: 'chandlery', namespace: 'chandlery-system' }]);
    assert.match(kubectl, /--verb=create,patch --resource=/);
    assert.match(kubectl, /--serviceaccount=chandlery-system:chandlery$/);
  });

  it('gives two people a binding each, whatever their names hold', () => {
    const names = ['a/b', 'a%2Fb', 'a=2Fb', 'a b', "a'b"].map((user) => {
      const { metadata } = parse(remedyFor({ user, permission: RIGHT, apps: APPS }).yaml) as { metadata: { name: string } };
      return metadata.name;
    });
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.doesNotMatch(name, /[/%]/);
  });
});
