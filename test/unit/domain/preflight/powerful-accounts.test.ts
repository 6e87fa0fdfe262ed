import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { powerfulAccounts } from '../../../../src/domain/preflight/powerful-accounts.ts';

const POLICIES = join(resolve(import.meta.dirname, '../../../..'), 'charts', 'chandlery', 'files', 'admission-policies.yaml');
const CHECK =
  /variables\.holder\.group\('([^']*)'\)\.resource\('([^']*)'\)(?:\.subresource\('([^']*)'\))?(\.namespace\(request\.namespace\))?\.check\('(\w+)'\)/g;

const RBAC = 'rbac.authorization.k8s.io/v1';
const workload = (account: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web' },
  spec: { template: { spec: { serviceAccountName: account, containers: [{ name: 'web' }] } } },
});
const role = (rule: object, kind = 'Role'): KubeObject => ({ apiVersion: RBAC, kind, metadata: { name: 'agents' }, rules: [rule] });
const binding = (subject: object, kind = 'Role'): KubeObject => ({
  apiVersion: RBAC,
  kind: `${kind}Binding`,
  metadata: { name: 'agents' },
  roleRef: { kind, name: 'agents' },
  subjects: [subject],
});
const AGENT = { kind: 'ServiceAccount', name: 'agent', namespace: 'shop' };
const powersOf = (...objects: readonly KubeObject[]): readonly (readonly string[])[] =>
  powerfulAccounts([workload('agent'), ...objects], 'shop').map(({ powers }) => powers);

describe('service accounts that roles of a release make too powerful', () => {
  it('are judged as the policy judges them', () => {
    const checks = [...readFileSync(POLICIES, 'utf8').matchAll(CHECK)].map(([, , name = '', sub, namespace, verb = '']) => ({
      power: `${verb} ${sub === undefined ? name : `${name}/${sub}`}`,
      isWide: namespace === undefined,
    }));
    const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
    const powersBy = (kind: string): readonly string[] => (powersOf(role(everything, kind), binding(AGENT, kind))[0] ?? []).toSorted();
    const expected = (of: typeof checks): readonly string[] => [...new Set(of.map(({ power }) => power))].sort();
    assert.deepEqual(powersBy('ClusterRole'), expected(checks));
    assert.deepEqual(powersBy('Role'), expected(checks.filter(({ isWide }) => !isWide)));
  });

  it('may create pods or run programs in them by a Role, or read all Secrets by a ClusterRole', () => {
    const pods = { apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['create', 'get'] };
    assert.deepEqual(powersOf(role(pods), binding(AGENT)), [['create pods', 'create pods/exec']]);
    assert.deepEqual(powersOf(role(pods), binding({ kind: 'Group', name: 'system:serviceaccounts:shop' })), [
      ['create pods', 'create pods/exec'],
    ]);
    const secrets = { apiGroups: ['*'], resources: ['*'], verbs: ['list'] };
    assert.deepEqual(powersOf(role(secrets, 'ClusterRole'), binding(AGENT, 'ClusterRole')), [
      ['list secrets', 'list configmaps', 'list pods'],
    ]);
  });

  it('are none with less, of another namespace, or without a binding', () => {
    const reads = { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'list'] };
    assert.deepEqual(powersOf(role(reads), binding(AGENT)), []);
    const pods = { apiGroups: [''], resources: ['pods'], verbs: ['create'] };
    assert.deepEqual(powersOf(role(pods), binding({ ...AGENT, namespace: 'other' })), []);
    assert.deepEqual(powersOf(role(pods)), []);
  });
});
